/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Stands in for the system's <linux/kernel.h>: all types come from vmlinux.h.
 */
#include "vmlinux.h"
