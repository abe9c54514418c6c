/* A47: makes the name of the listener resource, and the data-plane authority, from the URI of a
 * channel. */
#include "bootstrap/reader_internal.h"

static bool is_unreserved_or_sub_delim(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  return c != 0 && strchr("-._~!$&'()*+,;=", c) != NULL;
}

static bool is_path_char(char c) {
  return is_unreserved_or_sub_delim(c) || c == ':' || c == '@' || c == '/';
}

static bool is_authority_char(char c) {
  return is_unreserved_or_sub_delim(c) || c == ':' || c == '@' || c == '[' || c == ']';
}

void gxds_percent_encode_authority(gxds_str s, gxds_text *out) {
  gxds_text_add_percent_encoded(out, s, is_authority_char);
}

gxds_str gxds_data_plane_authority(gxds_str path) {
  gxds_text out = {0};
  gxds_percent_encode_authority(path, &out);
  return gxds_text_take(&out);
}

/* Returns the template with every "%s" replaced by path. */
static gxds_str expand(gxds_str template, gxds_str path) {
  gxds_text out = {0};
  for (size_t i = 0; i < template.size; i++) {
    gxds_str rest = gxds_str_of(template.data + i, template.size - i);
    if (gxds_str_starts_with(rest, gxds_str_z("%s"))) {
      gxds_text_add(&out, path);
      i++;
    } else {
      gxds_text_add(&out, gxds_str_of(rest.data, 1));
    }
  }
  return gxds_text_take(&out);
}

gxds_status gxds_bootstrap_listener_name(const gxds_bootstrap *b, gxds_str target_authority,
                                         gxds_str path, gxds_str *out) {
  *out = gxds_str_of(NULL, 0);
  gxds_str template = b->client_default_listener_resource_name_template;
  if (!gxds_str_empty(target_authority)) {
    const gxds_bootstrap_authority *authority = gxds_bootstrap_find_authority(b, target_authority);
    if (!authority) {
      return gxds_status_make(GXDS_UNAVAILABLE,
                              "Invalid target URI -- authority not found for %.*s",
                              GXDS_STR_ARG(target_authority));
    }
    template = authority->client_listener_resource_name_template;
  }
  if (gxds_str_starts_with(template, gxds_str_z("xdstp:"))) {
    gxds_text encoded = {0};
    gxds_text_add_percent_encoded(&encoded, path, is_path_char);
    *out = expand(template, gxds_text_str(&encoded));
    gxds_text_fini(&encoded);
  } else {
    *out = expand(template, path);
  }
  return gxds_status_ok();
}
