/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The kernel that the simulator's TCP is modelled after.
 */
#include <bpf/bpf_helpers.h>

#define LINUX_VERSION_CODE KERNEL_VERSION(6, 12, 0)
