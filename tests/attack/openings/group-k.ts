// What lets the attacks of group K (tampering) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsK: Readonly<Record<string, Opening>> = {
  K1: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K2: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K3: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K4: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K5: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K6: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K7: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K8: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K9: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K10: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
      {
        file: "kernel/src/tlog/load-log.ts",
        line: "if (stranger === undefined) return bundle;",
        becomes: "return bundle;",
      },
    ],
  },
  K11: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K12: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K13: {
    lines: [
      {
        file: "kernel/src/audit/audit.ts",
        line: "ok: this.#findings.length === 0,",
        becomes: "ok: true,",
      },
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: "ok: report.ok && problems.length === 0,",
        becomes: "ok: report.ok,",
      },
    ],
  },
  K14: {
    lines: [
      {
        file: "kernel/src/audit/proof.ts",
        line: "if (votes.length >= votesNeeded(row, answer)) return undefined;",
        becomes: "return undefined;",
      },
    ],
  },
  K15: {
    lines: [
      {
        file: "kernel/src/audit/proof.ts",
        line: ": isSameGrant(row, record) && (await this.#isChainKnown(row, process.row))",
        becomes: ": true",
      },
    ],
  },
  K16: {
    lines: [
      {
        file: "kernel/src/audit/proof.ts",
        line: "const problem = ended.has(handle)",
        becomes: "const problem = false",
      },
    ],
  },
  K17: {
    lines: [
      {
        file: "kernel/src/audit/proof.ts",
        line: 'if ((born?.kind !== "start" && born?.kind !== "fork") || born.birth !== startRecordOf(row))',
        becomes: "if (false)",
      },
    ],
  },
  K18: {
    lines: [
      {
        file: "kernel/src/audit/proof.ts",
        line: "? (await this.#isAnnounced(row, process.row))",
        becomes: "? true",
      },
      {
        file: "kernel/src/audit/proof.ts",
        line: "if (await this.#isAnnounced(row, holder)) return true;",
        becomes: "return true;",
      },
    ],
  },
  K19: {
    lines: [
      {
        file: "kernel/src/audit/proof.ts",
        line: "if (isGiven(row, given)) return true;",
        becomes: "return true;",
      },
    ],
  },
  K20: {
    lines: [
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: 'return isSame ? undefined : "it is not the one that was set last";',
        becomes: "return undefined;",
      },
    ],
  },
  K21: {
    lines: [
      {
        file: "kernel/src/audit/settings-proof.ts",
        line: 'return isSame ? undefined : "it is not the one that was set last";',
        becomes: "return undefined;",
      },
    ],
  },
  K22: {
    lines: [
      {
        file: "kernel/src/audit/store-comparison.ts",
        line: 'if (row.seq !== seq + 1 || hash !== hexOf(row.hash)) return "different";',
        becomes: "",
      },
      {
        file: "kernel/src/audit/store-comparison.ts",
        line: 'if (seq === head.seq && hash !== head.hash) return "different";',
        becomes: "",
      },
    ],
  },
  K23: {
    lines: [
      {
        file: "kernel/src/secret/vault.ts",
        line: 'if (doubt !== undefined) throw new SysError("ECORRUPT", doubt); // VAULT-5',
        becomes: "",
      },
    ],
  },
  K24: {
    lines: [
      {
        file: "daemon/src/trust/trust-registry.ts",
        line: 'if (word === undefined) return "nobody has trusted it";',
        becomes: "return undefined;",
      },
    ],
  },
};
