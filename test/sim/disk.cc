#include "test/sim/disk.h"

#include <algorithm>

namespace gxds_sim {

const gxds_cache_store Disk::kStore = {Read, Write, BeginAnew, AddAnew, EndAnew};

void Disk::End() {
  if (frozen_) {
    file_ = left_;
    exists_ = left_exists_;
    whole_ = left_whole_;
    anew_size_ = left_anew_size_;
  }
  frozen_ = false;
  anew_.clear();
}

void Disk::Cut(size_t size) {
  file_.resize(size);
  whole_ = 0;
}

size_t Disk::Spend(size_t size) {
  if (process_->killed) return 0;
  if (static_cast<int64_t>(size) < process_->bytes_left) {
    process_->bytes_left -= static_cast<int64_t>(size);
    return size;
  }
  process_->killed = true;
  return static_cast<size_t>(process_->bytes_left);
}

// Keeps the file as the killed process leaves it: these bytes are the last that it wrote there.
void Disk::Freeze(size_t at, gxds_str bytes) {
  if (frozen_) return;
  frozen_ = true;
  left_ = file_;
  left_exists_ = exists_;
  left_whole_ = whole_;
  left_anew_size_ = anew_size_;
  if (bytes.size == 0) return;
  left_.resize(at);
  left_ += String(bytes);
}

bool Disk::Read(void *arg, size_t at, size_t size, gxds_text *out) {
  const Disk *d = static_cast<const Disk *>(arg);
  gxds_text_clear(out);
  if (!d->exists_ || at + size > d->file_.size()) return false;
  gxds_text_add(out, gxds_str_of(d->file_.data() + at, size));
  return true;
}

bool Disk::Write(void *arg, size_t at, gxds_str bytes) {
  Disk *d = static_cast<Disk *>(arg);
  if (!d->exists_) Fail("cache-store", "a write without a file");
  if (at > d->file_.size()) Fail("cache-store", "a write behind the end");
  bool was_killed = d->process_->killed;
  size_t written = d->Spend(bytes.size);
  bool all = written == bytes.size && !was_killed;
  if (d->process_->killed && !all) d->Freeze(at, gxds_str_of(bytes.data, written));
  d->file_.resize(at);
  d->file_ += String(bytes);
  d->whole_ = d->file_.size();
  d->writes_.appended = d->writes_.appended || all;
  if (d->process_->killed) d->Freeze(0, gxds_str_of(nullptr, 0));
  return true;
}

bool Disk::BeginAnew(void *arg) {
  static_cast<Disk *>(arg)->anew_.clear();
  return true;
}

bool Disk::AddAnew(void *arg, gxds_str bytes) {
  Disk *d = static_cast<Disk *>(arg);
  d->Spend(bytes.size);
  if (d->process_->killed) d->Freeze(0, gxds_str_of(nullptr, 0));
  d->anew_ += String(bytes);
  return true;
}

bool Disk::EndAnew(void *arg) {
  Disk *d = static_cast<Disk *>(arg);
  if (d->process_->killed) d->Freeze(0, gxds_str_of(nullptr, 0));
  d->file_ = d->anew_;
  d->exists_ = true;
  d->whole_ = d->anew_size_ = d->file_.size();
  if (!d->process_->killed) {
    (d->writes_.appended ? d->writes_.anew_after : d->writes_.anew_before) = true;
  }
  return true;
}

}  // namespace gxds_sim
