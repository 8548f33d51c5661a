// ValueView: a text as it is, anything else as JSON; long ones in a box that scrolls.

import { visibleText } from "@aos/protocol/words";
import { useState } from "react";

/** More than this is shown on demand: a page of megabytes helps nobody. */
const MOST_CHARS = 8_000;

/** `whole`: all of it is there from the start, with its size, for what a person has to approve. */
export function ValueView({ of, whole = false }: { of: unknown; whole?: boolean }) {
  const [isWhole, show] = useState(whole);
  const text = visibleText(typeof of === "string" ? of : JSON.stringify(of, null, 2));
  const isLong = text.length > MOST_CHARS && !isWhole;
  return (
    <div className="flex flex-col items-start gap-1.5">
      {/* It scrolls, so the keyboard has to reach it. */}
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="max-h-96 w-full overflow-auto rounded-md border border-line bg-ground px-3 py-2 font-mono text-[12.5px] leading-5 whitespace-pre-wrap"
      >
        {isLong ? `${text.slice(0, MOST_CHARS)}…` : text}
      </pre>
      {whole ? (
        <span className="text-[13px] text-faint">
          {text.length.toLocaleString("en-US")} characters
        </span>
      ) : null}
      {isLong ? (
        <button
          type="button"
          className="text-[13px] text-soft underline underline-offset-2 hover:text-ink"
          onClick={() => show(true)}
        >
          Show all {text.length.toLocaleString("en-US")} characters
        </button>
      ) : null}
    </div>
  );
}
