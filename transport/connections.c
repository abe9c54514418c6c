#include "transport/connections.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

ino_t gxds_socket_inode(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode) ? file.st_ino : 0;
}

/* ---- one connection ---- */

static bool is_still_there(const gxds_connection *one) {
  return gxds_socket_inode(one->fd) == one->inode;
}

/* Ends the connection. A child of a fork may have a copy of the socket, so closing it would not be
 * enough. */
static void finish(gxds_connection *one) {
  if (is_still_there(one)) {
    shutdown(one->fd, SHUT_RDWR);
    close(one->fd);
  }
  gxds_text_fini(&one->request);
  gxds_text_fini(&one->response.head);
  gxds_str_free(&one->response.body);
}

static bool is_passing(int error) { return error == EINTR || error == EAGAIN; }

/* Reads what has arrived of the request. False if the connection must end. */
static bool receive(gxds_connection *one, const gxds_service *service) {
  char part[GXDS_REQUEST_BYTES_MAX];
  ssize_t got = recv(one->fd, part, sizeof part - one->request.size, MSG_DONTWAIT);
  if (got < 0) return is_passing(errno);
  if (got == 0) return false;
  gxds_text_add(&one->request, gxds_str_of(part, (size_t)got));
  if (service->is_whole(gxds_text_str(&one->request))) {
    one->state = GXDS_WAITING;
    return true;
  }
  return one->request.size < GXDS_REQUEST_BYTES_MAX;
}

/* Sends as much as possible now. False if everything is sent, or if the connection is broken. */
static bool send_some(gxds_connection *one) {
  const gxds_str head = gxds_text_str(&one->response.head);
  const gxds_str body = one->response.body;
  if (one->sent == head.size + body.size) return false;
  const size_t of_head = one->sent < head.size ? one->sent : head.size;
  const size_t of_body = one->sent - of_head;
  struct iovec parts[2] = {{(char *)head.data + of_head, head.size - of_head},
                           {(char *)body.data + of_body, body.size - of_body}};
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  ssize_t sent = sendmsg(one->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return is_passing(errno);
  one->sent += (size_t)sent;
  return one->sent < head.size + body.size;
}

/* Reads or sends as much as possible now. False if the connection must end. */
static bool go_on(gxds_connection *one, const gxds_service *service, gxds_time now) {
  if (now >= one->until || !is_still_there(one)) return false;
  if (one->state == GXDS_READING) return receive(one, service);
  return one->state == GXDS_WAITING || send_some(one);
}

/* ---- all of them ---- */

static void remove_at(gxds_connections *c, size_t i) {
  finish(&c->all[i]);
  c->count--;
  memmove(&c->all[i], &c->all[i + 1], (c->count - i) * sizeof c->all[0]);
}

static void make_room(gxds_connections *c) {
  size_t i = 0;
  while (i < c->count && c->all[i].state != GXDS_READING) i++;
  remove_at(c, i < c->count ? i : 0);
}

void gxds_connections_add(gxds_connections *c, int take_fd, gxds_time now) {
  if (c->count == GXDS_CONNECTIONS_MAX) make_room(c);
  const bool whole = c->service->is_whole(gxds_str_of(NULL, 0));
  c->all[c->count++] = (gxds_connection){
      .fd = take_fd,
      .inode = gxds_socket_inode(take_fd),
      .until = gxds_time_after(now, GXDS_CONNECTION_TIME),
      .state = whole ? GXDS_WAITING : GXDS_READING,
  };
}

/* Makes only one response in each turn. A response may take as long as a connection may last, so
 * the time must be read again after it. */
static void respond_to_one(gxds_connections *c) {
  for (size_t i = 0; i < c->count; i++) {
    gxds_connection *one = &c->all[i];
    if (one->state != GXDS_WAITING) continue;
    c->service->respond(one->fd, gxds_text_str(&one->request), &one->response);
    one->state = GXDS_BEING_SENT;
    if (!is_still_there(one) || !send_some(one)) remove_at(c, i);
    return;
  }
}

void gxds_connections_turn(gxds_connections *c, gxds_time now) {
  for (size_t i = 0; i < c->count;) {
    if (go_on(&c->all[i], c->service, now)) {
      i++;
    } else {
      remove_at(c, i);
    }
  }
  respond_to_one(c);
}

gxds_time gxds_connections_deadline(const gxds_connections *c) {
  for (size_t i = 0; i < c->count; i++) {
    if (c->all[i].state == GXDS_WAITING) return 0;
  }
  return c->count > 0 ? c->all[0].until : GXDS_TIME_NEVER;
}

size_t gxds_connections_events(const gxds_connections *c, struct pollfd *out) {
  for (size_t i = 0; i < c->count; i++) {
    const short events = c->all[i].state == GXDS_READING ? POLLIN : POLLOUT;
    out[i] = (struct pollfd){.fd = c->all[i].fd, .events = events};
  }
  return c->count;
}

void gxds_connections_end(gxds_connections *c) {
  while (c->count > 0) remove_at(c, c->count - 1);
}

/* Frees no memory, because the parent may have been in the middle of a function above. */
void gxds_connections_leave_to_parent(gxds_connections *c) {
  for (size_t i = 0; i < GXDS_CONNECTIONS_MAX; i++) {
    if (c->all[i].inode != 0 && is_still_there(&c->all[i])) close(c->all[i].fd);
    c->all[i] = (gxds_connection){0};
  }
  c->count = 0;
}
