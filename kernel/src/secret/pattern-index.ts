// PatternIndex: finds any of some thousand literal texts in one pass that skips most of the text
// (Wu and Manber, 1994). A window slides over the text; three characters at its end say how far it
// may jump before any form could end its first part there.
//
//   find(text, found)    adds a finding for each place where a form stands, longest first
//   couldBegin(text)     where the end of the text may be the beginning of a form
//
// PATTERN-INDEX-1  Two sets of three characters that share a slot make a jump shorter, never longer.
// PATTERN-INDEX-2  Every place where a form stands is found, also where it overlaps another.

import { escapeEnd, escapeStart } from "./escapes.ts";
import type { SecretForm } from "./forms.ts";
import type { Finding } from "./redaction.ts";

const BLOCK = 3;
const SLOTS = 1 << 16;
/** A longer window jumps further over text, and its blocks crowd the table. */
const MAX_WINDOW = 16;

const slotOf = (a: number, b: number, c: number): number =>
  ((a << 10) ^ (b << 5) ^ c) & (SLOTS - 1);

export class PatternIndex {
  /** In the order of their texts. */
  readonly #forms: readonly SecretForm[];
  readonly #longest: number;
  readonly #window: number;
  readonly #jumps: Uint8Array;
  /** The first form of a slot, and for each form the next one of the same slot; -1 ends it. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #firstUnits: Int32Array;

  /** Of forms with the same text the first one counts. There must be one at least. */
  constructor(forms: readonly SecretForm[]) {
    const byText = new Map<string, SecretForm>();
    for (const form of forms) if (!byText.has(form.text)) byText.set(form.text, form);
    this.#forms = [...byText.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
    const lengths = this.#forms.map(({ text }) => text.length);
    this.#longest = Math.max(...lengths);
    this.#window = Math.min(MAX_WINDOW, ...lengths);
    if (this.#window < BLOCK) throw new Error("a form is too short to be searched");
    this.#jumps = new Uint8Array(SLOTS).fill(this.#window - BLOCK + 1);
    this.#heads = new Int32Array(SLOTS).fill(-1);
    this.#next = new Int32Array(this.#forms.length).fill(-1);
    this.#firstUnits = Int32Array.from(this.#forms, ({ text }) => text.charCodeAt(0));
    this.#fill();
  }

  #fill(): void {
    const slotEnding = (text: string, last: number) =>
      slotOf(text.charCodeAt(last - 2), text.charCodeAt(last - 1), text.charCodeAt(last));
    // From the shortest to the longest, so that the longest is the head of its slot.
    const byLength = [...this.#forms.keys()].sort((a, b) => this.#length(a) - this.#length(b));
    for (const form of byLength) {
      const { text } = this.#forms[form]!;
      for (let last = BLOCK - 1; last < this.#window; last++) {
        const slot = slotEnding(text, last);
        this.#jumps[slot] = Math.min(this.#jumps[slot]!, this.#window - 1 - last);
      }
      const slot = slotEnding(text, this.#window - 1);
      this.#next[form] = this.#heads[slot]!;
      this.#heads[slot] = form;
    }
  }

  #length(form: number): number {
    return this.#forms[form]!.text.length;
  }

  find(text: string, found: Finding[]): void {
    const jumps = this.#jumps;
    const length = text.length;
    let last = this.#window - 1;
    while (last < length) {
      const slot = slotOf(
        text.charCodeAt(last - 2),
        text.charCodeAt(last - 1),
        text.charCodeAt(last),
      );
      const jump = jumps[slot]!;
      if (jump === 0) {
        this.#findAt(text, last - this.#window + 1, slot, found);
        last += 1;
      } else last += jump;
    }
  }

  #findAt(text: string, start: number, slot: number, found: Finding[]): void {
    const first = text.charCodeAt(start);
    for (let at = this.#heads[slot]!; at >= 0; at = this.#next[at]!) {
      if (this.#firstUnits[at] !== first) continue;
      const form = this.#forms[at]!;
      if (!text.startsWith(form.text, start)) continue;
      found.push(widened(text, start, form));
      return;
    }
  }

  couldBegin(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      if (!this.#firstUnits.includes(text.charCodeAt(at))) continue;
      const rest = text.slice(at);
      if (this.#forms[this.#placeOf(rest)]?.text.startsWith(rest)) return at;
    }
    return text.length;
  }

  /** The place of the first form that does not come before the text. */
  #placeOf(text: string): number {
    let from = 0;
    let to = this.#forms.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#forms[middle]!.text < text) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** With the characters beside it that carry bits of the value, and with no escape cut in two. */
function widened(text: string, start: number, form: SecretForm): Finding {
  const end = start + form.text.length;
  const left = form.left && isBase64(text.charCodeAt(start - 1)) ? start - 1 : start;
  const right = form.right && isBase64(text.charCodeAt(end)) ? end + 1 : end;
  return { start: escapeStart(text, left), end: escapeEnd(text, right), name: form.name };
}

function isBase64(unit: number): boolean {
  const letter = unit | 0x20;
  if ((letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39)) return true;
  return unit === 0x2b || unit === 0x2f || unit === 0x2d || unit === 0x5f;
}
