/** Progress of the reader, stored in the browser alone. */

const KEY = "fairlane-progress";

type Kept = Record<string, string>;

export function kept(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Kept;
  } catch {
    return {};
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...kept(), [name]: value }));
  } catch {
    // Browsers may forbid storage.
  }
}
