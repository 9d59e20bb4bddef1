// Ask refrain from a client that is not written in Rust: keep `refrain classify` open as a child process, write one JSON
// object a line, read one answer a line, in the same order. Types are erasable: Node 22.18 and newer run this file as it is.
//
//   node examples/client.mts [path of the refrain program]

import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

/** One thing that was observed. Fields that a kind does not have stay away. */
export type Signal =
  | { kind: "prompt_error"; message: string; code?: number; data?: unknown }
  | { kind: "message_chunk"; text: string }
  | { kind: "stderr"; text: string }
  | { kind: "exit"; code?: number; signal?: number }
  | { kind: "http"; status: number; headers?: Record<string, string> }
  | { kind: "prompt_result"; stop_reason: string; meta?: unknown };

/** What is known about one failure. */
export type Evidence = {
  signals: Signal[];
  provider?: string;
  model?: string;
  phase?: "auth_check" | "process_start" | "session_init" | "prompt_send" | "streaming" | "tool_execution" | "shutdown";
  /** RFC 3339; the child's clock when absent. */
  now?: string;
};

/** One answer. New fields may appear; these stay. */
export type Verdict = {
  id: string;
  code: string;
  class: "transient" | "hard" | "unclassified";
  confidence: "high" | "medium" | "low";
  rule: string | null;
  catalogue: string;
  /** The code's flag, not yet a permission: that needs to know whether anything was output or any tool ran. */
  auto_retry: boolean;
  fallback: boolean;
  user_action: boolean;
  retry_after_ms: number | null;
  reset_at: string | null;
  remediation: string | null;
  safe_excerpt: string | null;
};

type Waiting = { resolve: (verdict: Verdict) => void; reject: (error: Error) => void };

/** A `refrain classify` that is kept open. */
export class Refrain {
  #child: ChildProcessWithoutNullStreams;
  #waiting = new Map<string, Waiting>();
  #next = 0;
  #gone: Error | null = null;

  constructor(program = "refrain") {
    this.#child = spawn(program, ["classify", "--format", "jsonl", "-"]);
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#answer(line));
    this.#child.stderr.resume();
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => this.#fail(new Error(`${program} can not be started: ${error.message}`)));
    this.#child.on("exit", () => this.#fail(new Error("refrain has ended")));
  }

  /** The verdict over one evidence. When this rejects, nothing is known: treat it as a matter for a person. */
  classify(evidence: Evidence): Promise<Verdict> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = String(this.#next++);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(JSON.stringify({ ...evidence, id }) + "\n");
    });
  }

  /** Ends the child; it answers what it was asked before. */
  close(): void {
    this.#child.stdin.end();
  }

  #answer(line: string): void {
    const answer = JSON.parse(line) as Verdict & { error?: { code: string; message: string } };
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.error) waiting?.reject(new Error(`${answer.error.code}: ${answer.error.message}`));
    else waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** What a client may do when a prompt failed. Whoever saw output or tool activity never sends the prompt again by itself. */
export function mayRetry(verdict: Verdict, sawOutput: boolean, sawTools: boolean): boolean {
  return verdict.auto_retry && verdict.confidence === "high" && !sawOutput && !sawTools;
}

if (import.meta.main ?? process.argv[1]?.endsWith("client.mts")) {
  const refrain = new Refrain(process.argv[2]);
  const failed = (message: string): Evidence => ({ signals: [{ kind: "prompt_error", code: -32603, message }] });
  // Asked at once, answered in order: no question waits for the answer to another one.
  const verdicts = await Promise.all([
    refrain.classify(failed("Internal error: API Error: 529 Overloaded")),
    refrain.classify({ ...failed("API Error: 429 rate limited"), signals: [
      { kind: "http", status: 429, headers: { "retry-after": "20" } },
      { kind: "prompt_error", code: -32603, message: "API Error: 429 rate limited" },
    ] }),
    refrain.classify(failed("the model wrote this by accident")),
  ]).catch((error: Error): never => {
    console.error(error.message);
    process.exit(1);
  });
  for (const verdict of verdicts) {
    const retry = mayRetry(verdict, false, false) ? `again in ${(verdict.retry_after_ms ?? 5000) / 1000} s` : "ask a person";
    console.log(`${verdict.code} (${verdict.class}): ${retry}`);
  }
  const broken = await refrain.classify({ signals: "none" } as unknown as Evidence).catch((error: Error) => error.message);
  console.log(`a question that is none: ${String(broken).split(":").slice(0, 5).join(":")}`);
  refrain.close();
}
