/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The loop iterations that are left to the present callback; the engine sets them before it (steps.h).
 */
unsigned int fairlane_steps_left;
