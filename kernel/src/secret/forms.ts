// Forms: the literal texts as which the value of a secret may turn up.
//
//   formsOf(name, value)   raw, escaped for JSON, for URLs and for HTML, base64, hex
//
// FORMS-1  Base64 is searched at each of the three alignments, by the characters that the value alone
//     decides. Those at the ends that it shares with its neighbours are marked `left` and `right`.
// FORMS-2  A value of which a form cannot be made (half a surrogate pair, too short) throws.

/** Shorter ones would turn up in harmless text, and replacing them would destroy it. */
export const MIN_SECRET_LENGTH = 8;

export interface SecretForm {
  readonly name: string;
  readonly text: string;
  /** The character before it carries some bits of the value, if it is of the same alphabet. */
  readonly left: boolean;
  readonly right: boolean;
}

export function formsOf(name: string, value: string): SecretForm[] {
  const core = value.trim();
  if (core.length < MIN_SECRET_LENGTH)
    throw new Error(`the value of ${name} is shorter than ${MIN_SECRET_LENGTH} characters`);
  if (!core.isWellFormed()) throw new Error(`the value of ${name} is not valid Unicode`);
  const bytes = Buffer.from(core);
  const literal = [core, ...jsonForms(core), ...urlForms(core), htmlForm(core), ...hexForms(bytes)];
  return [
    ...literal.map((text) => ({ name, text, left: false, right: false })),
    ...[0, 1, 2].flatMap((lead) => base64Forms(name, bytes, lead)),
  ];
}

function jsonForms(value: string): string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const ascii = asciiOnly(once, (code) => code);
  const forms = [once, twice, ascii, asciiOnly(once, (code) => code.toUpperCase())];
  return [...forms, ...forms.map((form) => form.replaceAll("/", "\\/"))];
}

function asciiOnly(text: string, spell: (code: string) => string): string {
  return text.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`,
  );
}

function urlForms(value: string): string[] {
  const component = encodeURIComponent(value);
  const strict = component.replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams({ "": value }).toString().slice(1);
  const forms = [component, strict, form, component.replaceAll("%20", "+"), encodeURI(value)];
  return [...forms, ...forms.map(withLowerHex)];
}

function withLowerHex(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function htmlForm(value: string): string {
  return value.replaceAll(/[&<>"']/g, (mark) => HTML[mark] ?? mark);
}

function hexForms(bytes: Buffer): string[] {
  const lower = bytes.toString("hex");
  return [lower, lower.toUpperCase()];
}

function base64Forms(name: string, bytes: Buffer, lead: number): SecretForm[] {
  const bitsBefore = lead * 8;
  const bitsTo = bitsBefore + bytes.length * 8;
  const whole = Buffer.concat([Buffer.alloc(lead), bytes]).toString("base64");
  const plain = whole.slice(Math.ceil(bitsBefore / 6), Math.floor(bitsTo / 6));
  const escaped = encodeURIComponent(plain);
  const forUrls = plain.replaceAll("+", "-").replaceAll("/", "_");
  const texts = [plain, forUrls, plain.replaceAll("/", "\\/"), escaped, withLowerHex(escaped)];
  return texts.map((text) => ({ name, text, left: bitsBefore % 6 > 0, right: bitsTo % 6 > 0 }));
}
