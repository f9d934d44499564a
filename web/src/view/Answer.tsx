/** The answer in words, above the drawing. */

import { usePlayer, useTicks } from "./use";
import { words } from "./words";

export function Answer() {
  const player = usePlayer();
  useTicks(400);
  return (
    <p class="answer">
      {words(player).map((word, index) =>
        word.flow === undefined ? (
          <span key={index}>{word.text}</span>
        ) : (
          <b key={index} class={`flow-${word.flow % 8}`}>
            {word.text}
          </b>
        ),
      )}
    </p>
  );
}
