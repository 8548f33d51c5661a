// Digest: the name of a text in the blob store.

import { hash } from "node:crypto";

export const digestOf = (body: string): string => hash("sha256", body, "hex");
