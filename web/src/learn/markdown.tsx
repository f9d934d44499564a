/** The part of Markdown that lab sheets use: paragraphs, emphasis, code. */

import type { ComponentChildren } from "preact";

export function Markdown({ text }: { text: string }) {
  const blocks = text
    .replace(/^# .*\n/, "")
    .trim()
    .split(/\n{2,}/);
  return (
    <>
      {blocks.map((block, index) => (
        <p key={index}>{inline(block.replace(/\n/g, " "))}</p>
      ))}
    </>
  );
}

export function inline(text: string): ComponentChildren[] {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part, index) => {
    if (part.startsWith("**")) return <b key={index}>{part.slice(2, -2)}</b>;
    if (part.startsWith("*")) return <em key={index}>{part.slice(1, -1)}</em>;
    if (part.startsWith("`")) return <code key={index}>{part.slice(1, -1)}</code>;
    return part;
  });
}
