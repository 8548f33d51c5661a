// EventInput: the input of a run that an event starts: the event, or what the schedule's own `input` makes of it.
//
//   eventInput({ title: "Push to {event.body.ref}" }, event)
//
// EVENT-INPUT-1  A text that is one placeholder becomes the value itself; within other text it becomes text. Values are
//     never read as placeholders, and keys stay as they are.
// EVENT-INPUT-2  A placeholder that names nothing is a failure (EINVAL), never an empty text.

import { SysError, type Json } from "@aos/protocol";

const PLACEHOLDER = /\{event((?:\.[A-Za-z0-9_-]+)*)\}/g;
const WHOLE = /^\{event((?:\.[A-Za-z0-9_-]+)*)\}$/;

export function eventInput(input: Json | undefined, event: Json): Json {
  if (input === undefined) return event;
  if (Array.isArray(input)) return input.map((one) => eventInput(one, event));
  if (typeof input === "object" && input !== null)
    return Object.fromEntries(
      Object.entries(input).map(([key, one]) => [key, eventInput(one as Json, event)]),
    );
  if (typeof input !== "string") return input;
  const whole = WHOLE.exec(input);
  if (whole !== null) return valueAt(event, whole[1]!);
  return input.replace(PLACEHOLDER, (_, path: string) => textOf(valueAt(event, path)));
}

/** EVENT-INPUT-2. */
function valueAt(event: Json, path: string): Json {
  let at: unknown = event;
  for (const part of path.split(".").slice(1)) {
    const has = typeof at === "object" && at !== null && Object.hasOwn(at, part);
    if (!has) throw new SysError("EINVAL", `input: the event has no ${path.slice(1)}`);
    at = (at as Record<string, unknown>)[part];
  }
  return at as Json;
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
