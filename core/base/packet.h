/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of a local socket (SOCK_SEQPACKET): each a GVariant in this machine's byte order, in
 * normal form, and descriptors beside it. */
#pragma once

#include <glib.h>
#include <sys/socket.h>

/* A packet must fit what a socket buffers by default (208 KiB). */
#define WPR_PACKET_MOST (192 * 1024)
/* SCM_MAX_FD of the kernel. */
#define WPR_PACKET_FDS_MOST 253

/* One packet, with as many of the descriptors as it holds, and the rest behind it. Consumes a
 * floating message. FALSE with errno; EAGAIN: the other side does not read. */
gboolean wpr_packet_send (int fd, GVariant *message, const int *fds, gsize n_fds);
/* One packet of that type. message: NULL, or all zero but for the room it has for descriptors
 * (msg_control); where it has none the kernel drops them before they are ours, and a packet that
 * had any is none of that type. NULL with errno, 0 at the end of file; descriptors that came are
 * the caller's even then. */
GVariant *wpr_packet_receive (int fd, const char *type, struct msghdr *message);
/* The same with room for them: those that came (int) are appended to fds, even where it is NULL. */
GVariant *wpr_packet_receive_fds (int fd, const char *type, GArray *fds);
