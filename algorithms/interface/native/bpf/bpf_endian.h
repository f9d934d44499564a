/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Byte order, natively.
 */
#ifndef __BPF_ENDIAN__
#define __BPF_ENDIAN__

#include "vmlinux.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define bpf_htons(x) __builtin_bswap16(x)
#define bpf_htonl(x) __builtin_bswap32(x)
#define bpf_cpu_to_be64(x) __builtin_bswap64(x)
#else
#define bpf_htons(x) (x)
#define bpf_htonl(x) (x)
#define bpf_cpu_to_be64(x) (x)
#endif
#define bpf_ntohs(x) bpf_htons(x)
#define bpf_ntohl(x) bpf_htonl(x)
#define bpf_be64_to_cpu(x) bpf_cpu_to_be64(x)

#endif /* __BPF_ENDIAN__ */
