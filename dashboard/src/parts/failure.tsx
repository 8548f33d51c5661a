// A failure for people: message, reason and next step.

import { SysError } from "@aos/protocol/words";
import { Button } from "./button.tsx";

export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const { code, hint } = error instanceof SysError ? error : { code: undefined, hint: undefined };
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-lg border border-line bg-sheet p-4">
      <p>
        {code === undefined ? null : (
          <span className="mr-2 font-mono text-[13px] font-medium text-bad">{code}</span>
        )}
        {sentence(message)}
      </p>
      {hint === undefined ? null : <p className="text-soft">{sentence(hint)}</p>}
      {again === undefined ? null : (
        <div>
          <Button onClick={again}>Try again</Button>
        </div>
      )}
    </div>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
