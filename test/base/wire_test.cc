#include "base/wire.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using std::string_literals::operator""s;

bool Whole(const std::string& bytes) {
  return gxds_wire_is_whole(gxds_str_of(bytes.data(), bytes.size()));
}

TEST(WireIsWhole, FieldsOfAllKinds) {
  EXPECT_TRUE(Whole(""));
  EXPECT_TRUE(gxds_wire_is_whole(gxds_str_of(nullptr, 0)));
  EXPECT_TRUE(Whole("\x08\x01"s)) << "a number";
  EXPECT_TRUE(Whole("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s)) << "the longest number";
  EXPECT_TRUE(Whole("\x09" + std::string(8, '\0')));
  EXPECT_TRUE(Whole("\x0d" + std::string(4, '\0')));
  EXPECT_TRUE(Whole("\x0a\x03"s + "abc"));
  EXPECT_TRUE(Whole("\x0a\x00"s));
  EXPECT_TRUE(Whole("\x0b\x0c"s)) << "an empty group";
  EXPECT_TRUE(Whole("\x0b\x13\x08\x01\x14\x0c\x08\x01"s)) << "a group in a group";
}

TEST(WireIsWhole, NotWhenAnythingIsMissing) {
  const std::string whole[] = {"\x08\x81\x01"s,
                               "\x09" + std::string(8, '\0'),
                               "\x0d" + std::string(4, '\0'),
                               "\x0a\x03"s + "abc",
                               "\x0b\x08\x01\x0c"s,
                               "\x8a\x01\x80\x01" + std::string(128, 'x')};
  for (const std::string& bytes : whole) {
    ASSERT_TRUE(Whole(bytes));
    for (size_t size = 1; size < bytes.size(); size++) {
      EXPECT_FALSE(Whole(bytes.substr(0, size))) << size;
    }
  }
}

TEST(WireIsWhole, NotWhenThereIsNoSuchThing) {
  EXPECT_FALSE(Whole("\x0e\x00"s)) << "wire type 6";
  EXPECT_FALSE(Whole("\x0f\x00"s)) << "wire type 7";
  EXPECT_FALSE(Whole("\x0c"s)) << "the end of no group";
  EXPECT_FALSE(Whole("\x08" + std::string(10, '\xff') + "\x01")) << "a number of eleven bytes";
  EXPECT_FALSE(Whole("\x0a" + std::string(9, '\xff') + "\x01" + "abc")) << "a size of 64 bits";
}

TEST(WireUnpad, TakesThePaddingOutAndNothingElse) {
  const std::string field = "\x08\x81\x01"s, other = "\x12\x02"s + "ab";
  std::string padding(GXDS_WIRE_PADDING_SIZE, 'x');
  gxds_wire_pad({}, padding.data());
  for (const std::string& message : {field + padding + other, padding + field + padding + other,
                                     field + other + padding, field + other}) {
    std::string bytes = message;
    bytes.resize(gxds_wire_unpad(bytes.data(), bytes.size()));
    EXPECT_EQ(bytes, field + other);
  }
}

TEST(WirePad, IsOneMoreField) {
  std::string padded(3 + GXDS_WIRE_PADDING_SIZE, 'x');
  gxds_wire_pad(gxds_str_of("\x08\x81\x01", 3), padded.data());
  EXPECT_EQ(padded.substr(0, 3), "\x08\x81\x01");
  EXPECT_TRUE(Whole(padded.substr(3)));
  EXPECT_EQ(padded.substr(3, 6), "\xfa\xff\xff\xff\x0f\x1a"s);
  EXPECT_EQ(padded.substr(9), std::string(26, '\0'));
}

std::vector<std::string> Fields(const std::string& bytes) {
  std::vector<std::string> out;
  gxds_str rest = gxds_str_of(bytes.data(), bytes.size());
  gxds_wire_field field;
  while (gxds_wire_next(&rest, &field)) {
    std::string text = std::to_string(field.number) + (field.has_size ? "s " : " ");
    out.push_back(text + std::string(field.value.data ? field.value.data : "", field.value.size) +
                  "/" + std::to_string(field.whole.size));
  }
  return out;
}

TEST(WireNext, OneFieldAfterTheOther) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Fields(""), Texts{});
  EXPECT_EQ(Fields("\x0a\x03"s + "abc" + "\x08\x81\x01"s + "\x12\x00"s),
            (Texts{"1s abc/5", "1 /3", "2s /2"}));
  EXPECT_EQ(Fields("\x09" + std::string(8, 'x') + "\x15" + std::string(4, 'x')),
            (Texts{"1 /9", "2 /5"}));
  EXPECT_EQ(Fields("\x0b\x12\x01"s + "a" + "\x13\x14\x0c\x0a\x01"s + "b"),
            (Texts{"1 /7", "1s b/3"}))
      << "what is in a group is not the message's";
}

bool Flag(const std::string& bytes) {
  return gxds_wire_number_at(gxds_str_of(bytes.data(), bytes.size()), 6) != 0;
}

TEST(WireNumberAt, IsTheLastOfThatNumber) {
  EXPECT_FALSE(Flag(""));
  EXPECT_TRUE(Flag("\x30\x01"s));
  EXPECT_TRUE(Flag("\x30\x00\x38\x00\x30\x80\x01"s)) << "any number but zero";
  EXPECT_FALSE(Flag("\x30\x01\x30\x80\x00"s)) << "a long zero";
  EXPECT_FALSE(Flag("\x38\x01"s)) << "another field";
  EXPECT_FALSE(Flag("\x32\x01\x01"s)) << "a string";
  EXPECT_TRUE(Flag("\x30\x01\x32\x01\x00"s)) << "a string changes nothing";
  EXPECT_EQ(gxds_wire_number_at(gxds_str_of("\x30\xac\x02", 3), 6), 300u);
}

TEST(WireBytesAt, IsTheLastOfThatNumber) {
  const std::string message =
      "\x0a\x01"s + "a" + "\x08\x01"s + "\x12\x01"s + "b" + "\x0a\x02"s + "cd";
  const gxds_str bytes = gxds_str_of(message.data(), message.size());
  gxds_str value = gxds_wire_bytes_at(bytes, 1);
  EXPECT_EQ(std::string(value.data, value.size), "cd");
  EXPECT_EQ(gxds_wire_bytes_at(bytes, 3).data, nullptr);
}

TEST(WireDouble, IsNoOtherFieldOfEightBytes) {
  const std::string number = "\x00\x00\x00\x00\x00\x00\xf8\x3f"s;
  auto value = [](const std::string& bytes) {
    gxds_str rest = gxds_str_of(bytes.data(), bytes.size());
    gxds_wire_field field;
    EXPECT_TRUE(gxds_wire_next(&rest, &field));
    return gxds_wire_double(&field);
  };
  EXPECT_EQ(value("\x09" + number), 1.5);
  EXPECT_EQ(value("\xc9\x01" + number), 1.5) << "a tag of two bytes";
  EXPECT_EQ(value("\x0a\x08" + number), 0) << "a string";
}

TEST(WireNext, EndsWhereAFieldIsNotWhole) {
  EXPECT_EQ(Fields("\x0a\x01"s + "a" + "\x0a\x05"s + "b"), std::vector<std::string>{"1s a/3"});
  EXPECT_TRUE(Fields("\x0b\x0a\x01"s + "a").empty());
  EXPECT_TRUE(Fields("\x0c"s).empty());
}

}  // namespace
