/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread that sleeps in poll, select, epoll_wait or a read of a socket waits on: the
 * descriptors, as the kernel sees them when the thread leaves its CPU. Shared by kernel and user
 * side; in recordings too, so numbers are never used for something else.
 */
#ifndef BPF_WAIT_ON_H
#define BPF_WAIT_ON_H

/* Descriptors were looked at; without it nothing is known. */
#define ON_LOOKED 0x0001
/* A listening socket, or a datagram socket that is bound and takes from everybody. */
#define ON_LISTENER 0x0002
/* A connection that was accepted: all that came was answered (TCP: this side sent last). */
#define ON_ANSWERED 0x0004
/* The same, but the peer sent last: half a request, or a stream. */
#define ON_UNANSWERED 0x0008
/* A connection that this side opened: it sent last, so the answer is outstanding; or it is not
 * established yet. */
#define ON_REQUEST 0x0010
/* The same, but the peer sent last: no request, or a part of the answer. */
#define ON_REPLIED 0x0020
/* A local connection that this side opened: who sent last is not known. */
#define ON_CLIENT 0x0040
#define ON_SOCKET 0x0080 /* any other socket: netlink, raw, a pair */
#define ON_PIPE	  0x0100
#define ON_TTY	  0x0200
#define ON_EVENT  0x0400 /* an eventfd, timerfd, signalfd, inotify or another epoll */
#define ON_FILE	  0x0800 /* a device or what else there is */
#define ON_NONE	  0x1000 /* no descriptors at all */
#define ON_MORE	  0x2000 /* more than were looked at */
#define ON_MANY	  0x4000 /* two or more */

#endif
