// StreamedOutput: the output of a running driver for watchers, without secrets.
//
// STREAMED-OUTPUT-1  A watcher that joins before the answer is complete gets it from its beginning, up to
//     MOST_KEPT_CHARS; beyond that it is told where its part begins (`at`).
// STREAMED-OUTPUT-2  Text and reasoning are two streams, scrubbed separately, since a secret may be split in either.

import type { Progress } from "@aos/protocol";
import type { ScrubStream } from "../secret/index.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";
import type { DriverServices } from "./services.ts";

/** The most of what is said that is kept for those who come late. */
const MOST_KEPT_CHARS = 256 * 1024;

type Kind = Progress["kind"];

export class StreamedOutput {
  readonly #services: DriverServices;
  readonly #asked: CallContext;
  readonly #streams = new Map<Kind, ScrubStream>();
  /** Characters that were said, by kind, told or lost. */
  readonly #before = new Map<Kind, number>();
  /** What was said while nobody listened, from the beginning. */
  readonly #kept = new Map<Kind, string>();

  constructor(services: DriverServices, asked: CallContext) {
    this.#services = services;
    this.#asked = asked;
  }

  say({ kind, text }: Progress): void {
    const isRestart = kind === "restart";
    if (isRestart) for (const words of [this.#streams, this.#before, this.#kept]) words.clear();
    if (!this.#services.live.isHeard(this.#asked.process.key))
      return isRestart ? undefined : this.#keep(kind, text);
    const said = isRestart ? "" : this.#scrubbed(kind, this.#takeKept(kind) + text);
    if (isRestart || said !== "") this.#tell(kind, said);
  }

  /** The answer is whole: what could still have become a secret is told too. */
  end(): void {
    if (this.#services.live.isHeard(this.#asked.process.key))
      for (const kind of Array.from(this.#kept.keys())) this.say({ kind, text: "" });
    for (const [kind, stream] of this.#streams) {
      const text = stream.end();
      if (text !== "") this.#tell(kind, text);
    }
    this.#streams.clear();
  }

  #tell(kind: Kind, text: string): void {
    const at = this.#before.get(kind) ?? 0;
    const { process, call } = this.#asked;
    this.#services.live.tell(process.key, { kind, text, n: call.n, ...(at === 0 ? {} : { at }) });
    this.#note(kind, text);
  }

  /** STREAMED-OUTPUT-1. */
  #keep(kind: Kind, text: string): void {
    const kept = this.#kept.get(kind) ?? "";
    const isWhole = !this.#streams.has(kind) && !this.#before.has(kind);
    if (isWhole && kept.length + text.length <= MOST_KEPT_CHARS) this.#kept.set(kind, kept + text);
    else this.#note(kind, this.#takeKept(kind) + text);
  }

  #takeKept(kind: Kind): string {
    const kept = this.#kept.get(kind) ?? "";
    this.#kept.delete(kind);
    return kept;
  }

  #note(kind: Kind, text: string): void {
    this.#before.set(kind, (this.#before.get(kind) ?? 0) + text.length);
  }

  /** STREAMED-OUTPUT-2. */
  #scrubbed(kind: Kind, text: string): string {
    const stream = this.#streams.get(kind) ?? this.#services.scrubStream();
    this.#streams.set(kind, stream);
    return stream.push(text);
  }
}
