/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The description of a program for the engine in WebAssembly, which is linked with it (crates/web/src/programs.rs).
 */
struct fairlane_parameter {
	const char *name;
	__u32 name_bytes;
	const volatile void *place;
	__u32 bytes;
	__u32 is_signed;
	__u32 is_boolean;
};

struct fairlane_program {
	const struct tcp_congestion_ops *ops;
	const struct fairlane_parameter *parameters;
	__u32 parameter_count;
};

#define FAIRLANE_PARAMETER(parameter)                                                              \
	{ #parameter, sizeof(#parameter) - 1, &parameter, sizeof(parameter),                       \
	  (__typeof__(parameter))-1 < (__typeof__(parameter))1,                                    \
	  __builtin_types_compatible_p(__typeof__(parameter), const volatile bool) }
