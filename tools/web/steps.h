/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Included before each program that is compiled for WebAssembly: every loop counts its iterations, and stops the instance
 * when a callback has used up its steps. Nothing else could stop an endless loop inside a page's worker.
 */
extern unsigned int fairlane_steps_left;

static inline __attribute__((always_inline)) int fairlane_step(void)
{
	if (!fairlane_steps_left)
		__builtin_trap();
	fairlane_steps_left--;
	return 1;
}

#define while(condition...) while ((condition) && fairlane_step())
#define for(head...) for (head) if (!fairlane_step()) {} else
