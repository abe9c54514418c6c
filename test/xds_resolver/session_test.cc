#include "xds_resolver/session.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/base64.h"

namespace {

gxds_str View(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
std::string Str(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

std::string Base64(const std::string &bytes) {
  gxds_text out = {};
  gxds_base64_add(&out, View(bytes));
  std::string result = Str(gxds_text_str(&out));
  gxds_text_fini(&out);
  return result;
}

// Whether the value names the cluster.
bool IsOf(const std::string &value, const std::string &cluster) {
  auto text = std::make_unique<gxds_session_text>();
  gxds_session_text_read(text.get(), gxds_str_z("s"), View("s=" + Base64(value)));
  return gxds_session_text_is_of(text.get(), View(cluster));
}

// The parsed header, as "addresses | is it of cluster a".
std::string Read(const std::string &header, const std::string &name = "s") {
  auto text = std::make_unique<gxds_session_text>();
  gxds_session_text_read(text.get(), View(name), View(header));
  return std::string(text->text, text->addresses) + " | " +
         (gxds_session_text_is_of(text.get(), gxds_str_z("a")) ? "a" : "");
}

TEST(Session, ACookieHasTheAddressesAndTheCluster) {  // A55.2, A60.1
  EXPECT_EQ(Read("s=" + Base64("1.2.3.4:80;a")), "1.2.3.4:80 | a");
  EXPECT_EQ(Read("s=" + Base64("1.2.3.4:80,[::1]:80;cluster:a")), "1.2.3.4:80,[::1]:80 | a")
      << "as the text of A60 has it";
  for (const char *none : {"", ";", ";b", ";cluster:", ";cluster:b", ";clustera", ";a;b"}) {
    EXPECT_EQ(Read("s=" + Base64("1.2.3.4:80" + std::string(none))), "1.2.3.4:80 | ") << none;
  }
  EXPECT_EQ(Read("s=" + Base64(";a")), " | a");
}

TEST(Session, TheFirstCookieOfTheNameCounts) {  // A55.2
  const std::string one = "s=" + Base64("1.1.1.1:1"), two = "s=" + Base64("2.2.2.2:2");
  EXPECT_EQ(Read("a=b; " + one + "; " + two), "1.1.1.1:1 | ");
  EXPECT_EQ(Read("ss=x;" + two), "2.2.2.2:2 | ") << "a space is not needed";
  EXPECT_EQ(Read("a=b," + two), "2.2.2.2:2 | ") << "of several headers";
  EXPECT_EQ(Read("s; " + two), " | ") << "the first has no value";
}

TEST(Session, AValueMayBeInQuotes) {  // A55.2
  const std::string value = Base64("1.1.1.1:1;a");
  EXPECT_EQ(Read("s=\"" + value + "\""), "1.1.1.1:1 | a");
  EXPECT_EQ(Read("s=\"" + value + "\" ; b=c"), "1.1.1.1:1 | a");
  EXPECT_EQ(Read("s=" + value + " "), "1.1.1.1:1 | a");
  for (const char *broken : {"\"", "\"\"", "\"%", " ", "\" \""}) {
    EXPECT_EQ(Read("s=" + std::string(broken)), " | ") << broken;
  }
  EXPECT_EQ(Read("s=\"" + value), " | ");
}

TEST(Session, WhatIsNoCookieOfOursIsNone) {  // A55.2
  for (const std::string &header :
       {std::string(), std::string(";;  ,"), std::string("s"), std::string("s="),
        std::string("s=%%%"), std::string("s=A"), "S=" + Base64("1.1.1.1:1"),
        "s=" + std::string(GXDS_SESSION_TEXT_MAX + 4, 'A')}) {
    EXPECT_EQ(Read(header), " | ") << header;
  }
  EXPECT_EQ(Read("s=" + std::string(GXDS_SESSION_TEXT_MAX, 'A')).size(),
            GXDS_SESSION_TEXT_MAX / 4 * 3 + 3)
      << "the longest there is";
}

// The headers that the program gets.
struct Response : gxds_response {
  std::vector<std::string> headers;
};

// The headers that the response gets if the endpoint with the addresses `used` served the RPC.
std::vector<std::string> Headers(const std::string &cookie, const std::string &used,
                                 gxds_session_cookie config = {gxds_str_z("s"), {}, 0},
                                 const std::string &cluster = "a") {
  auto text = std::make_unique<gxds_session_text>();
  gxds_session_text_read(text.get(), config.name, View(cookie));
  std::unique_ptr<std::max_align_t[]> memory(
      new std::max_align_t[gxds_session_size(&config, text.get()) / sizeof(std::max_align_t) + 1]);
  gxds_session *s = gxds_session_init(memory.get(), &config, text.get(), View(cluster));
  EXPECT_EQ(Str(s->wanted), std::string(text->text, text->addresses));
  text.reset();
  s->used = View(used);
  Response response;
  response.add_header = [](gxds_response *r, gxds_str name, gxds_str value) {
    static_cast<Response *>(r)->headers.push_back(Str(name) + ": " + Str(value));
  };
  s->responded(s, &response);
  return response.headers;
}
using Lines = std::vector<std::string>;

TEST(Session, AResponseHasACookieUnlessTheRequestHadTheSame) {  // A55.9, A60.1
  const std::string value = Base64("1.2.3.4:80;a");
  EXPECT_EQ(Headers("", "1.2.3.4:80"), Lines{"set-cookie: s=" + value + "; HttpOnly"});
  EXPECT_EQ(Headers("s=" + value, "1.2.3.4:80"), Lines{});
  EXPECT_EQ(Headers("s=" + Base64("1.2.3.4:81;a"), "1.2.3.4:80").size(), 1u);
  EXPECT_EQ(Headers("s=" + Base64("1.2.3.4:80;b"), "1.2.3.4:80").size(), 1u);
  EXPECT_EQ(Headers("s=" + Base64("1.2.3.4:80"), "1.2.3.4:80").size(), 1u);
  EXPECT_EQ(Headers("", ""), Lines{}) << "nobody knows where it came from";
}

TEST(Session, AClusterWhoseNameBeginsAsThePrefixIsNoOther) {  // A60.1
  const std::vector<std::string> names = {"a", "cluster:a", "cluster:cluster:a", "cluster:"};
  const std::vector<std::string> written = {"1.2.3.4:80;a", "1.2.3.4:80;cluster:cluster:a",
                                            "1.2.3.4:80;cluster:cluster:cluster:a",
                                            "1.2.3.4:80;cluster:cluster:"};
  for (size_t i = 0; i < names.size(); i++) {
    const gxds_session_cookie config = {gxds_str_z("s"), {}, 0};
    EXPECT_EQ(Headers("", "1.2.3.4:80", config, names[i]),
              Lines{"set-cookie: s=" + Base64(written[i]) + "; HttpOnly"});
    EXPECT_EQ(Headers("s=" + Base64(written[i]), "1.2.3.4:80", config, names[i]), Lines{});
    for (size_t k = 0; k < names.size(); k++) {
      EXPECT_EQ(IsOf(written[i], names[k]), i == k) << written[i] << " of " << names[k];
    }
  }
}

TEST(Session, ACookieHasItsPathAndItsAge) {  // A55.9
  const std::string value = "set-cookie: s=" + Base64("1.2.3.4:80;a") + "; HttpOnly";
  EXPECT_EQ(Headers("", "1.2.3.4:80", {gxds_str_z("s"), gxds_str_z("/p"), 90 * GXDS_SECOND}),
            Lines{value + "; Path=/p; Max-Age=90"});
  EXPECT_EQ(Headers("", "1.2.3.4:80", {gxds_str_z("s"), gxds_str_z("/p"), 0}),
            Lines{value + "; Path=/p"});
  EXPECT_EQ(Headers("", "1.2.3.4:80", {gxds_str_z("s"), {}, GXDS_SECOND / 2}),
            Lines{value + "; Max-Age=1"})
      << "not 0, which takes it away";
}

}  // namespace
