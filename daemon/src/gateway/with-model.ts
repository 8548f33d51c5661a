// WithModel: a manifest with another model than the one that it was written for. An example with a scripted model is
// run with a real one, and nothing else of it changes.
//
// WITH-MODEL-1  Every model of the manifest is replaced, also of the agents that are written inside of it; and what a
//     capability granted for a replaced model is granted for this one, with the same verbs and limits.
// WITH-MODEL-2  What the manifest passes to tools and agents as data is not touched.

import { type Json, SysError } from "@aos/protocol";

/** Of a tool, an agent or a schema: a `model` in there is no model of the manifest. */
const DATA: ReadonlySet<string> = new Set([
  "args",
  "input",
  "params",
  "message",
  "schema",
  "metadata",
]);

const MODEL_CAPABILITY = /^model:[^:{]+(?=[:{]|$)/;

export function withModel<M extends { readonly name: string }>(manifest: M, model: string): M {
  const before = JSON.stringify(manifest);
  const changed = replaced(manifest as Json, model) as M;
  const isNamed = before.includes(JSON.stringify(model));
  if (!isNamed && JSON.stringify(changed) === before)
    throw new SysError("EINVAL", `${manifest.name} uses no model`, {
      hint: "leave --model out: its program does not ask one",
    });
  return changed;
}

function replaced(value: Json, model: string): Json {
  if (Array.isArray(value)) return value.map((each) => replaced(each as Json, model));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]): [string, Json] => {
      if (DATA.has(key)) return [key, part as Json];
      if (key === "model" && (typeof part === "string" || Array.isArray(part))) return [key, model];
      if (key === "capabilities" && Array.isArray(part)) return [key, granted(part, model)];
      return [key, replaced(part as Json, model)];
    }),
  );
}

/** Two models of one manifest become one: so do their capabilities. */
const granted = (capabilities: readonly unknown[], model: string): Json =>
  [
    ...new Set(
      capabilities.map((text) =>
        typeof text === "string" ? text.replace(MODEL_CAPABILITY, `model:${model}`) : text,
      ),
    ),
  ] as Json;
