// Text that upb writes is read back as the same bytes, for random messages of every type that a
// resource may hold.
#include <gtest/gtest.h>
#include <upb/def.h>
#include <upb/encode.h>
#include <upb/reflection.h>
#include <upb/text_encode.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "files/schema.h"
#include "test/files/support.h"

namespace {

constexpr int kRounds = 400;
constexpr int kDepthMax = 6;

// Writes one message of each type, with Anys in the form that contains the text of their message.
class Writer {
 public:
  Writer(const gxds_schema* schema, uint32_t seed) : schema_(schema), random_(seed) {}
  ~Writer() { upb_Arena_Free(arena_); }

  upb_Message* Message(const upb_MessageDef* m, int depth) {
    upb_Message* msg = upb_Message_New(m, arena_);
    if (upb_MessageDef_WellKnownType(m) == kUpb_WellKnown_Any) {
      SetAny(msg, m, depth);
      return msg;
    }
    for (int i = 0; i < upb_MessageDef_FieldCount(m); i++) {
      const upb_FieldDef* f = upb_MessageDef_Field(m, i);
      if (Pick(2) == 0 && !(upb_FieldDef_IsSubMessage(f) && depth == 0)) SetField(msg, f, depth);
    }
    return msg;
  }

  std::string Text(const upb_Message* msg, const upb_MessageDef* m) {
    const int options = Pick(2) ? UPB_TXTENC_SINGLELINE : 0;
    std::string text(upb_TextEncode(msg, m, nullptr, options, nullptr, 0) + 1, 0);
    text.resize(upb_TextEncode(msg, m, nullptr, options, text.data(), text.size()));
    return text;
  }

  std::string Bytes(const upb_Message* msg, const upb_MessageDef* m) {
    char* data = nullptr;
    size_t size = 0;
    EXPECT_EQ(upb_Encode(msg, upb_MessageDef_MiniTable(m), kUpb_EncodeOption_Deterministic, arena_,
                         &data, &size),
              kUpb_EncodeStatus_Ok);
    return std::string(data, size);
  }

  void SetString(upb_Message* msg, const upb_MessageDef* m, const char* field,
                 const std::string& value) {
    upb_Message_Set(msg, upb_MessageDef_FindFieldByName(m, field), StringValue(value), arena_);
  }

 private:
  uint64_t Pick(uint64_t below) { return random_() % below; }

  upb_MessageValue StringValue(const std::string& s) {
    auto* data = static_cast<char*>(upb_Arena_Malloc(arena_, s.size() + 1));
    s.copy(data, s.size());
    upb_MessageValue value = {};
    value.str_val = {data, s.size()};
    return value;
  }

  void SetAny(upb_Message* msg, const upb_MessageDef* m, int depth) {
    const upb_MessageDef* inner =
        gxds_schema_find(schema_, gxds_str_z("a/envoy.config.core.v3.Address"));
    SetString(msg, m, "type_url", "a/envoy.config.core.v3.Address");
    SetString(msg, m, "value", Bytes(Message(inner, depth > 0 ? depth - 1 : 0), inner));
  }

  // Never NaN: upb's writer asserts that numbers equal themselves.
  double Double() {
    const double special[] = {0.0, -0.0, 1e300, -1.5, 0.1, 5e-324, INFINITY, -INFINITY};
    return Pick(2) ? special[Pick(8)] : std::ldexp(static_cast<double>(random_()), -40);
  }

  float Float() {
    const float special[] = {0.f, -0.f, std::numeric_limits<float>::max(), 1e-45f, 0.1f, -INFINITY};
    return Pick(2) ? special[Pick(6)] : std::ldexp(static_cast<float>(random_()), -40);
  }

  uint64_t Integer() {
    const uint64_t special[] = {
        0, 1, ~uint64_t{0}, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, uint64_t{1} << 31};
    return Pick(2) ? special[Pick(6)] : random_() >> Pick(64);
  }

  std::string String(bool is_text) {
    const char* const parts[] = {
        "a", "\n", "\\", "\"", "'", "\x01", "\x7f", "é", "\xf0\x9f\x98\x80", "7"};
    std::string s;
    for (uint64_t n = Pick(8); n > 0; n--) {
      s += is_text ? parts[Pick(10)] : std::string(1, static_cast<char>(Pick(256)));
    }
    return s;
  }

  upb_MessageValue Value(const upb_FieldDef* f, int depth) {
    upb_MessageValue value = {};
    switch (upb_FieldDef_CType(f)) {
      case kUpb_CType_Bool:
        value.bool_val = Pick(2) != 0;
        break;
      case kUpb_CType_Float:
        value.float_val = Float();
        break;
      case kUpb_CType_Double:
        value.double_val = Double();
        break;
      case kUpb_CType_Enum: {
        const upb_EnumDef* e = upb_FieldDef_EnumSubDef(f);
        value.int32_val = Pick(4) ? upb_EnumValueDef_Number(upb_EnumDef_Value(
                                        e, static_cast<int>(Pick(upb_EnumDef_ValueCount(e)))))
                                  : static_cast<int32_t>(Integer());
        break;
      }
      case kUpb_CType_Int32:
      case kUpb_CType_UInt32:
        value.uint32_val = static_cast<uint32_t>(Integer());
        break;
      case kUpb_CType_Int64:
      case kUpb_CType_UInt64:
        value.uint64_val = Integer();
        break;
      case kUpb_CType_String:
        return StringValue(String(true));
      case kUpb_CType_Bytes:
        return StringValue(String(false));
      case kUpb_CType_Message:
        value.msg_val = Message(upb_FieldDef_MessageSubDef(f), depth - 1);
        break;
    }
    return value;
  }

  void SetField(upb_Message* msg, const upb_FieldDef* f, int depth) {
    if (upb_FieldDef_IsMap(f)) {
      const upb_MessageDef* entry = upb_FieldDef_MessageSubDef(f);
      for (uint64_t n = Pick(3); n > 0; n--) {
        upb_MessageValue key = Value(upb_MessageDef_FindFieldByNumber(entry, 1), depth);
        upb_Map_Set(upb_Message_Mutable(msg, f, arena_).map, key,
                    Value(upb_MessageDef_FindFieldByNumber(entry, 2), depth), arena_);
      }
    } else if (upb_FieldDef_IsRepeated(f)) {
      for (uint64_t n = Pick(3); n > 0; n--) {
        upb_Array_Append(upb_Message_Mutable(msg, f, arena_).array, Value(f, depth), arena_);
      }
    } else {
      upb_Message_Set(msg, f, Value(f, depth), arena_);
    }
  }

  const gxds_schema* schema_;
  std::mt19937_64 random_;
  upb_Arena* arena_ = upb_Arena_New();
};

TEST(PrototextRoundTrip, WhatUpbWritesIsReadAsTheSameBytes) {
  gxds_schema* schema = gxds_schema_create();
  size_t bytes_in_all = 0;
  for (uint32_t seed = 0; seed < kRounds; seed++) {
    Writer writer(schema, seed);
    const gxds_file_type_info& type = gxds_file_types[seed % GXDS_FILE_TYPE_COUNT];
    const upb_MessageDef* m = gxds_schema_find(schema, gxds_str_z(type.type_url));
    upb_Message* msg = writer.Message(m, kDepthMax);
    writer.SetString(msg, m, type.name_field, "the name");
    const std::string text =
        "resources {\n[" + std::string(type.type_url) + "] {\n" + writer.Text(msg, m) + "}\n}";
    gxds_file_errors errors = {};
    const gxds_file_set* set = Build(schema, {{"f.textproto", text}}, &errors);
    ASSERT_EQ(Take(&errors), "") << seed << "\n" << text;
    ASSERT_EQ(set->types[seed % GXDS_FILE_TYPE_COUNT].count, 1u);
    const std::string bytes = writer.Bytes(msg, m);
    ASSERT_EQ(String(set->types[seed % GXDS_FILE_TYPE_COUNT].entries[0].resource->bytes), bytes)
        << seed << "\n"
        << text;
    bytes_in_all += bytes.size();
    gxds_file_set_unref(set);
  }
  EXPECT_GT(bytes_in_all, kRounds * 200u);  // the messages are not empty
  gxds_schema_destroy(schema);
}

}  // namespace
