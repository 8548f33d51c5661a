// What lets the attacks of group D (URLs, redirects, addresses) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsD: Readonly<Record<string, Opening>> = {
  D1: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D2: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D3: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D4: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D5: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D6: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D7: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D8: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D9: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D10: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D11: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D12: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D13: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D14: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D15: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D16: {
    configured: ["wide-grants"],
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
    ],
  },
  D17: {
    lines: [
      {
        file: "drivers/src/web/url.ts",
        line: "if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);",
        becomes:
          "{ const u = new URL(text); return { url: u.href, scheme: 'http', host: u.hostname, port: Number(u.port), origin: u.origin, path: u.pathname, query: u.search } as Target; }",
      },
      {
        file: "kernel/src/capability/host-pattern.ts",
        line: 'if (text.includes("%") && hidesSeparator(text.toLowerCase())) return null;',
        becomes: "",
      },
    ],
  },
  D18: { configured: ["wide-grants"] },
  D19: { configured: ["wide-grants"] },
  D20: { configured: ["wide-grants"] },
  D21: {
    lines: [
      {
        file: "drivers/src/web/egress.ts",
        line: "context.authorize(touchOf(target, method));",
        becomes: "",
      },
      {
        file: "drivers/src/web/resolve.ts",
        line: "gate.authorize(touchOf(target, method, hostOfAddress(address)));",
        becomes: "",
      },
    ],
  },
  D22: { configured: ["wide-grants"] },
  D23: { configured: ["wide-grants"] },
  D24: { configured: ["wide-grants"] },
  D25: { configured: ["wide-grants"] },
  D26: { configured: ["wide-grants"] },
  D27: { configured: ["wide-grants"] },
  D28: { configured: ["wide-grants"] },
  D29: {
    lines: [
      {
        file: "drivers/src/web/resolve.ts",
        line: "gate.authorize(touchOf(target, method, hostOfAddress(address)));",
        becomes: "",
      },
    ],
  },
  D30: {
    lines: [
      {
        file: "drivers/src/web/header-text.ts",
        line: 'const isYours = (name: string): boolean => !NOT_YOURS.has(name) && !name.startsWith("proxy-");',
        becomes: "const isYours = (_name: string): boolean => true;",
      },
    ],
  },
  D31: {
    lines: [
      {
        file: "drivers/src/web/header-text.ts",
        line: 'const isYours = (name: string): boolean => !NOT_YOURS.has(name) && !name.startsWith("proxy-");',
        becomes: "const isYours = (_name: string): boolean => true;",
      },
    ],
  },
};
