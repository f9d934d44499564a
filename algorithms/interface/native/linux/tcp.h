/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Stands in for the system's <linux/tcp.h>: all types come from vmlinux.h.
 */
#include "vmlinux.h"
