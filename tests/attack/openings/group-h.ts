// What lets the attacks of group H (secrets and scrubbing) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsH: Readonly<Record<string, Opening>> = {
  H1: { configured: ["bound-anywhere"] },
  H2: {
    lines: [
      {
        file: "kernel/src/secret/vault.ts",
        line: "const binding = secret.bindings.find((bound) => isBound(bound, place));",
        becomes: "const binding = secret.bindings[0];",
      },
    ],
  },
  H3: {
    configured: ["bound-anywhere"],
    lines: [
      {
        file: "drivers/src/web/redirect.ts",
        line: "const kept = target.origin === hop.target.origin ? hop.headers : harmlessOf(hop.headers);",
        becomes: "const kept = hop.headers;",
      },
    ],
  },
  H4: { configured: ["bound-anywhere"] },
  H5: { configured: ["wide-grants"] },
  H6: {
    lines: [
      {
        file: "kernel/src/secret/vault.ts",
        line: "const secret = this.#secrets.get(idOf(tenant, name));",
        becomes: "const secret = [...this.#secrets.values()].find((one) => one.name === name);",
      },
    ],
  },
  H7: {
    lines: [
      {
        file: "kernel/src/secret/vault.ts",
        line: "this.#secrets.delete(idOf(tenant, name));",
        becomes: "",
      },
    ],
  },
  H8: {
    lines: [
      {
        file: "kernel/src/operator/secret-methods.ts",
        line: "await vault.set(tenant, secret, by);",
        becomes:
          'parts.ledger.add({ what: "secret.set", by, detail: { value } }); await vault.set(tenant, secret, by);',
      },
    ],
  },
  H9: {
    lines: [
      {
        file: "drivers/src/programs/confine.ts",
        line: 'PYTHONHASHSEED: "0", ...env',
        becomes: "...(process.env as typeof env)",
      },
    ],
  },
  H10: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H11: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H12: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H13: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H14: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H15: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H16: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H17: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H18: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H19: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H20: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H21: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
    ],
  },
  H22: {
    lines: [
      {
        file: "kernel/src/process/call.ts",
        line: "const { text, value } = scrubbedCopy(args, scrub);",
        becomes: "const { text, value } = scrubbedCopy(args, (one) => one);",
      },
    ],
  },
  H23: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: ": (JSON.parse(scrub(JSON.stringify(failure.toText()))) as FailureText);",
        becomes: ": failure.toText();",
      },
    ],
  },
  H24: {
    lines: [
      {
        file: "kernel/src/secret/scrubber.ts",
        line: "const scrubbed = this.#replaced(text);",
        becomes: "const scrubbed = text;",
      },
    ],
  },
  H25: {
    lines: [
      {
        file: "kernel/src/secret/scrubber.ts",
        line: "const scrubbed = this.#replaced(text);",
        becomes: "const scrubbed = text;",
      },
    ],
  },
  H26: {
    lines: [
      {
        file: "kernel/src/process/process-factory.ts",
        line: "const text = this.#scrub(JSON.stringify(request.input));",
        becomes: "const text = JSON.stringify(request.input);",
      },
    ],
  },
  H27: {
    lines: [
      {
        file: "kernel/src/secret/scrubber.ts",
        line: "const scrubbed = this.#replaced(text);",
        becomes: "const scrubbed = text;",
      },
    ],
  },
  H28: {
    lines: [
      {
        file: "kernel/src/syscall/settlement.ts",
        line: "result = scrubbedCopy(answered.value, scrub);",
        becomes: "result = scrubbedCopy(answered.value, (text) => text);",
      },
      {
        file: "kernel/src/operator/message-router.ts",
        line: "body: this.#parts.scrub(JSON.stringify(body)),",
        becomes: "body: JSON.stringify(body),",
      },
    ],
  },
  H29: {
    lines: [{ file: "kernel/src/secret/vault.ts", line: "this.#retire(old, value);", becomes: "" }],
  },
  H30: {
    lines: [
      { file: "kernel/src/secret/scrubber.ts", line: "findKnown(text, found);", becomes: "" },
    ],
  },
  H31: {
    lines: [
      { file: "kernel/src/secret/scrubber.ts", line: "findKnown(text, found);", becomes: "" },
    ],
  },
  H32: {
    lines: [
      { file: "kernel/src/secret/scrubber.ts", line: "findKnown(text, found);", becomes: "" },
    ],
  },
};
