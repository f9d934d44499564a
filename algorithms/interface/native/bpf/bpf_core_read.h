/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * CO-RE reads, natively: there is one layout and nothing to relocate, so a read is a read. A type or
 * member with a flavour suffix (`___old`) stands for another kernel's layout and never exists here; nor
 * does a member that the simulator does not keep.
 */
#ifndef __BPF_CORE_READ_H__
#define __BPF_CORE_READ_H__

#include <bpf/bpf_helpers.h>

#define __builtin_preserve_access_index(expression) (expression)

#define FAIRLANE_FLAVOURED(text) (__builtin_strstr(text, "___") != NULL)

#define bpf_core_field_exists(field...) (!FAIRLANE_FLAVOURED(#field) && !FAIRLANE_NOT_KEPT(#field))
#define bpf_core_field_size(field) sizeof(field)
#define bpf_core_type_exists(type) (!FAIRLANE_FLAVOURED(#type))
#define bpf_core_type_matches(type) (!FAIRLANE_FLAVOURED(#type))
#define bpf_core_type_size(type) sizeof(type)
#define bpf_core_enum_value_exists(type, value) (!FAIRLANE_FLAVOURED(#type))
#define bpf_core_enum_value(type, value) (value)
#define bpf_core_cast(pointer, type) ((__typeof__(type) *)(pointer))
#define bpf_rdonly_cast(pointer, type_id) ((void *)(pointer))

#define bpf_core_read(to, size, from) bpf_probe_read_kernel(to, size, from)

#define FAIRLANE_PATH_1(s, a) (s)->a
#define FAIRLANE_PATH_2(s, a, b) (s)->a->b
#define FAIRLANE_PATH_3(s, a, b, c) (s)->a->b->c
#define FAIRLANE_PATH_4(s, a, b, c, d) (s)->a->b->c->d
#define FAIRLANE_PATH_5(s, a, b, c, d, e) (s)->a->b->c->d->e
#define FAIRLANE_PATH_N(_1, _2, _3, _4, _5, n, ...) FAIRLANE_PATH_##n
#define FAIRLANE_PATH_PICK(args...) FAIRLANE_PATH_N(args, 5, 4, 3, 2, 1)
#define BPF_CORE_READ(source, path...) (FAIRLANE_PATH_PICK(path)(source, path))
#define BPF_CORE_READ_INTO(to, source, path...) ((void)(*(to) = BPF_CORE_READ(source, path)), 0)
#define BPF_PROBE_READ(source, path...) BPF_CORE_READ(source, path)
#define BPF_PROBE_READ_INTO(to, source, path...) BPF_CORE_READ_INTO(to, source, path)
#define BPF_CORE_READ_BITFIELD(source, field) ((unsigned long long)(source)->field)
#define BPF_CORE_READ_BITFIELD_PROBED(source, field) ((unsigned long long)(source)->field)

#endif /* __BPF_CORE_READ_H__ */
