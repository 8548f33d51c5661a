// TryForm: a form that sends one operation of the OpenAPI document. try-it.mjs implements it; without scripts it does
// not work.

import type { Media, Method, Parameter } from "./document-words.ts";
import { escape } from "./schema-text.ts";

interface Tried {
  readonly method: Method;
  readonly address: string;
  readonly parameters: readonly Parameter[];
  /** Of a request with a body. */
  readonly body: Media | undefined;
}

export function tryForm({ method, address, parameters, body }: Tried): string {
  const fields = parameters.map(
    ({ name, in: place, required }) =>
      `<label>${escape(name)}${required === true ? "" : " <small>optional</small>"}<input name="${escape(name)}" data-in="${place}" autocomplete="off"${required === true ? " required" : ""}></label>`,
  );
  return `<details><summary>Try it</summary><form class="try" data-method="${method.toUpperCase()}" data-path="${escape(address)}">
<fieldset disabled>${fields.join("")}${bodyField(body)}<button>Send</button> <button type="button" class="stop" hidden>Stop</button></fieldset>
<output hidden></output></form></details>`;
}

function bodyField(body: Media | undefined): string {
  if (body === undefined) return "";
  const example = body.example === undefined ? "" : JSON.stringify(body.example, null, 2);
  return `<label>Body<textarea name="body" rows="8" spellcheck="false">${escape(example)}</textarea></label>`;
}
