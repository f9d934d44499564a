/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Stands in for the kernel selftests' header of this name; everything is in bpf/bpf_helpers.h.
 */
#include <bpf/bpf_helpers.h>
