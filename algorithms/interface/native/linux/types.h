/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Stands in for the system's <linux/types.h>: all types come from vmlinux.h.
 */
#include "vmlinux.h"
