// Argument schemas that many operations share, and the marks for arguments that name a process or a path.

import { z } from "zod";
import type { Json } from "../json.ts";
import { RUN_NAME } from "../process.ts";

export const jsonArgument = z.custom<Json>((value) => value !== undefined);
/** In a query a number is text. */
export const countArgument = z.coerce.number().int().nonnegative();
export const seqArgument = z.number().int().nonnegative();
export const tenant = z.string().min(1).max(63);
export const person = z.string().min(1).max(100);
export const words = z.string().max(10_000);
/** `untrusted/confidential`, and `#tags` where it is marked. */
export const labelArgument = z.string().min(1).max(1000);
export const capabilities = z.array(z.string().min(1).max(10_000)).max(1000);
export const durationMs = z.number().int().positive();
export const token = z.string().min(1).max(1_000_000);
/** A file that the caller has read, with the name to use for it in complaints. */
export const textFile = z.strictObject({ file: z.string().min(1).max(4096), text: z.string() });

export const runName = z
  .string()
  .regex(RUN_NAME, "a name begins with a letter, and has a-z, 0-9, `.`, `_` and `-`");

const references = new WeakSet<z.ZodType>();

/** An argument that names a process: the gateway finds it, and holds the caller to it. */
export type ProcessReference = z.ZodString & { readonly names: "process" };

export function processReference(description?: string): ProcessReference {
  const plain = z.string().min(1).max(200);
  const schema = description === undefined ? plain : plain.describe(description);
  references.add(schema);
  return schema as ProcessReference;
}

/** A path of the machine. */
export const folder = z.string().startsWith("/").max(4096);

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;

export const namesProcess = (schema: z.ZodType): boolean => references.has(unwrapped(schema));

export function namesPath(given: z.ZodType): boolean {
  const schema = unwrapped(given);
  if (schema instanceof z.ZodArray) return namesPath(schema.element as z.ZodType);
  if (schema instanceof z.ZodObject)
    return Object.values(schema.shape).some((field) => namesPath(field as z.ZodType));
  return schema === folder;
}

export const byPid = z.strictObject({
  pid: processReference("A pid, a unique beginning of one, the name of a run, or `@last`."),
});
export const byId = z.strictObject({ id: z.string().min(1).max(200) });
export const byName = z.strictObject({ name: z.string().min(1).max(200) });

/** What `/work` is: a folder as it is, or a copy of it. */
export const workspace = z.strictObject({ folder, isCow: z.boolean() });

/** Where the caller is: what its project brings along is there too. */
export const fromFolder = z.strictObject({ cwd: folder.optional() });

/** A process, or all processes of an agent: one of the two. */
export const holder = {
  pid: processReference().optional(),
  agent: z.string().min(1).max(200).optional(),
  tenant: tenant.optional(),
};
