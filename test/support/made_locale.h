// A locale that a test makes, because machines rarely have any but C.
#ifndef GRPC_XDS_TEST_SUPPORT_MADE_LOCALE_H_
#define GRPC_XDS_TEST_SUPPORT_MADE_LOCALE_H_

#include <gtest/gtest.h>
#include <locale.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace gxds_test {

// While it exists, the process has the locale of that language, in UTF-8: "de_DE" writes "0,5".
class MadeLocale {
 public:
  explicit MadeLocale(const std::string& language) {
    dir_ = ::testing::TempDir() + "/locales_XXXXXX";
    if (mkdtemp(dir_.data()) == nullptr) return;
    const std::string name = language + ".UTF-8";
    const std::string make =
        "localedef -i " + language + " -f UTF-8 " + dir_ + "/" + name + " 2>&1";
    if (std::system(make.c_str()) != 0) return;
    setenv("LOCPATH", dir_.c_str(), 1);
    made_ = setlocale(LC_ALL, name.c_str()) != nullptr;
  }
  ~MadeLocale() {
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    std::filesystem::remove_all(dir_);
  }
  bool made() const { return made_; }

 private:
  std::string dir_;
  bool made_ = false;
};

}  // namespace gxds_test

#endif
