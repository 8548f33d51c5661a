import { describe, expect, test } from "vitest";
import { CapabilityError } from "./error.ts";
import { formatCapability, parseCapability } from "./grammar.ts";

const HTTP = "get,head,post,put,patch,delete,options";

describe("a text is read and printed in its canonical form", () => {
  test.each([
    ["file:/work/**:read,write", "file:/work/**:read,write"],
    ["file:/work/**:write,read", "file:/work/**:read,write"],
    ["file:/work/**:*", "file:/work/**:read,write,list,remove"],
    ["http:API.example.com:8080/v1/**:get", "http:api.example.com:8080/v1/**:get"],
    ["http:api.example.com:*", `http:api.example.com/**:${HTTP}`],
    ["http:[::1]:8080:get", "http:[::1]:8080/**:get"],
    ["shell:ls,git:exec{timeout:30s}", "shell:git,ls:exec{timeout:30s}"],
    ["shell:*:execute{timeout:30s}", "shell:*:exec{timeout:30s}"],
    ["agent:spawn{max:5}", "agent:*:spawn{max:5}"],
    ["model:ollama/llama3:8b:infer", "model:ollama/llama3:8b:infer"],
    ["tool:x:call{max:1,rate:60/m}", "tool:x:call{rate:60/min,max:1}"],
    ["tool:x:call{timeout:120s}", "tool:x:call{timeout:2m}"],
    ["tool:x:call{timeout:2147483647ms}", "tool:x:call{timeout:2147483647ms}"],
    ["tool:x:call{ hold: use , max: 2 }", "tool:x:call{max:2,hold:use}"],
    ["tool:x:call{hold:both}", "tool:x:call"],
    ["model:*:infer{usd:0.50}", "model:*:infer{usd:0.5}"],
    ["model:*:infer{usd:0}", "model:*:infer{usd:0}"],
    ["file:/a:read{bytes:1048576}", "file:/a:read{bytes:1MiB}"],
    ["file:/a:read{bytes:10MB}", "file:/a:read{bytes:10MB}"],
    ["file:/a:read{bytes:0}", "file:/a:read{bytes:0}"],
    ["tool:x:call{expires:10m}", "tool:x:call{expires:10m}"],
    ["tool:x:call{expires:1798761600000}", "tool:x:call{expires:2027-01-01T00:00:00Z}"],
    ["tool:x:call{expires:2027-01-01T00:00:00.000Z}", "tool:x:call{expires:2027-01-01T00:00:00Z}"],
    [
      'tool:x:call{pin.b: {"z":1, "a":[true, null]}, pin.a:"}"}',
      'tool:x:call{pin.a:"}",pin.b:{"a":[true,null],"z":1}}',
    ],
    ["tool:x:call{pin.Az_09-b:1}", "tool:x:call{pin.Az_09-b:1}"],
    ['tool:x:call{pin."to whom":1,pin."b":2}', 'tool:x:call{pin.b:2,pin."to whom":1}'],
    ['tool:x:call{pin."":1}', 'tool:x:call{pin."":1}'],
    ['tool:x:call{pin."a\\u202eb":1}', 'tool:x:call{pin."a\\u202eb":1}'],
    ["tool:x:call{ args: pinned }", "tool:x:call{args:pinned}"],
    ["tool:x:call{pin.a:1,args:pinned,max:1}", "tool:x:call{max:1,args:pinned,pin.a:1}"],
    ['tool:x:call{pin.a:"\\u202e"}', 'tool:x:call{pin.a:"\\u202e"}'],
  ])("%s", (text, canonical) => {
    expect(formatCapability(parseCapability(text))).toBe(canonical);
  });
});

test("a text of 16384 characters is not too long", () => {
  const longest = `tool:x:call{pin.a:"${"a".repeat(16_384 - 21)}"}`;

  expect(longest).toHaveLength(16_384);
  expect(formatCapability(parseCapability(longest))).toBe(longest);
  expect(refusalOf(`${longest} `)).toMatchObject({ problem: "capability too long", at: 16_384 });
});

describe("what is not understood is refused, at the character", () => {
  test.each([
    ["", 0],
    ["capability://file/a?action=read", 0],
    ["file_read: /a", 0],
    ["file", 4],
    ["{", 0],
    [":x", 0],
    ["fiel:/a:read", 0],
    ["__proto__:/a:read", 0],
    ["constructor:/a:read", 0],
    ["file:read", 5],
    ["file:/a:raed", 8],
    ["file:/a:read,", 13],
    ["file:/a:read,read", 13],
    ["file:/a:read,*", 13],
    ["file:/a:toString", 8],
    ["http:a.com:get,request", 15],
    ["http:a.com:8080", 11],
    ["file::read", 5],
    ["file:/a/../b:read", 8],
    [" file:/a:read", 0],
    ["file:/a:read ", 8],
    ["tool:x:call{}", 12],
    ["tool:x:call{max:1", 17],
    ["tool:x:call{max:1}x", 18],
    ["tool:x:call{max:1,}", 18],
    ["tool:x:call{mxa:1}", 12],
    ["tool:x:call{__proto__:1}", 12],
    ["tool:x:call{toString:1}", 12],
    ["tool:x:call{max:1,max:2}", 18],
    ["tool:x:call{max}", 15],
    ["tool:x:call{max:}", 16],
    ["tool:x:call{max:0}", 16],
    ["tool:x:call{max:-1}", 16],
    ["tool:x:call{max:1.5}", 17],
    ["tool:x:call{max:0x10}", 17],
    ["tool:x:call{max:1e9}", 17],
    ["tool:x:call{max:01}", 16],
    ["tool:x:call{max:12345678901234567890}", 16],
    ["tool:x:call{timeout:30}", 22],
    ["tool:x:call{timeout:30x}", 22],
    ["tool:x:call{timeout:30toString}", 22],
    ["tool:x:call{timeout:0s}", 20],
    ["tool:x:call{timeout:25d}", 20],
    ["tool:x:call{timeout:2147483648ms}", 20],
    ["tool:x:call{rate:5}", 18],
    ["tool:x:call{rate:5/year}", 19],
    ["tool:x:call{rate:0/s}", 17],
    ["tool:x:call{usd:1.}", 18],
    ["tool:x:call{usd:.5}", 16],
    ["tool:x:call{usd:1.1234567}", 24],
    ["tool:x:call{usd:1.2.3}", 18],
    ["tool:x:call{usd:1234567890}", 16],
    ["tool:x:call{bytes:10mb}", 20],
    ["tool:x:call{expires:600}", 20],
    ["tool:x:call{expires:999999999999999d}", 20],
    ["tool:x:call{expires:2027-02-30T00:00:00Z}", 20],
    ["tool:x:call{expires:2027-01-01}", 24],
    ["tool:x:call{hold:all}", 17],
    ["tool:x:call{pin.:1}", 12],
    ["tool:x:call{pin.__proto__:1}", 12],
    ["tool:x:call{pin.a:1,pin.a:1}", 20],
    ['tool:x:call{pin.a:1,pin."a":1}', 20],
    ['tool:x:call{pin."__proto__":1}', 12],
    ['tool:x:call{pin."a"1}', 19],
    ['tool:x:call{pin.b"a":1}', 17],
    ['tool:x:call{max"a":1}', 15],
    ["tool:x:call{args:free}", 17],
    ["tool:x:call{args:pinned,args:pinned}", 24],
    ["tool:x:call{pin.a:}", 18],
    ["tool:x:call{pin.a:nul}", 18],
    ["tool:x:call{pin.a:1e999}", 18],
    ['tool:x:call{pin.a:"x}', 18],
    ['tool:x:call{pin.a:"\u202e"}', 19],
    ['tool:x:call{pin.a:{"b":1,"b":2}}', 25],
    ['tool:x:call{pin.a:{"__proto__":1}}', 19],
    ["tool:x:call{pin.a:{b:1}}", 19],
    [`tool:x:call{pin.a:${"[".repeat(20)}}`, 35],
    [`tool:${"a".repeat(20_000)}:call`, 16_384],
  ])("%j at %i", (text, at) => {
    const error = refusalOf(text);

    expect(error).toBeInstanceOf(CapabilityError);
    expect(error).toMatchObject({ at });
  });

  test("the message shows the text with a caret below the character", () => {
    const error = refusalOf("file:/a:raed") as CapabilityError;

    expect(error.message).toBe(
      'file has no verb "raed"; its verbs are read, write, list, remove\n  file:/a:raed\n          ^',
    );
  });

  test("the message holds no character that a terminal would obey", () => {
    const error = refusalOf("file:/\u001b[2J\u202e:read") as CapabilityError;

    expect(error.message).not.toContain("\u001b");
    expect(error.message).not.toContain("\u202e");
  });

  test("the message of a long text shows the part around the character", () => {
    const error = refusalOf(`file:/${"a".repeat(200)}/../b:read`) as CapabilityError;
    const [, shown = "", caret = ""] = error.message.split("\n");

    expect(shown.slice(caret.length - 1)).toMatch(/^\.\.\/b:read/u);
  });
});

function refusalOf(text: string): unknown {
  try {
    return parseCapability(text);
  } catch (error) {
    return error;
  }
}
