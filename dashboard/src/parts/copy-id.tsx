import { useState } from "react";

/** An id that a click copies. */
export function CopyId({ id }: { id: string }) {
  const [isCopied, say] = useState(false);
  return (
    <button
      type="button"
      title="Copy"
      className="rounded font-mono text-[13px] text-faint hover:text-ink"
      onClick={() => {
        void navigator.clipboard?.writeText(id).then(() => {
          say(true);
          setTimeout(() => say(false), 1500);
        });
      }}
    >
      {id}
      <span role="status" className="ml-2 font-sans text-xs text-good">
        {isCopied ? "copied" : ""}
      </span>
    </button>
  );
}
