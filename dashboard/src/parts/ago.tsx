// Ago: how long ago something was, with the moment itself on hover.

import { useNow } from "./clock.ts";
import { formatAgo } from "./format.ts";

export function Ago({ at }: { at: string | number }) {
  const now = useNow();
  const ms = typeof at === "number" ? at : Date.parse(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={new Date(ms).toLocaleString()}>
      {formatAgo(now - ms)}
    </time>
  );
}
