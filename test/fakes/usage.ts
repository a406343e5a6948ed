import { createHash } from 'node:crypto';

/** Days and people of an organization of any size, in the words of sections 2.2-2.6; the same for the same arguments. */

export interface Size {
  readonly days: number;
  readonly people: number;
  /** First day, `YYYY-MM-DD`. */
  readonly from?: string;
}

const DAY_MS = 86_400_000;
const MODELS = ['onyx-large', 'lumen-thinking', 'quill-mini'];

function dayTexts({ days, from = '2026-01-14' }: Size): string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
}

export function personIds({ people }: Size): string[] {
  return Array.from({ length: people }, (_, index) => `user_${digest(`person ${index}`).slice(0, 20)}`);
}

/** Rows of section 2.6, person after person, as the service pages them. */
export function userRows(size: Size): Record<string, unknown>[] {
  return personIds(size).flatMap((id, person) =>
    dayTexts(size).map((date, day) => {
      const n = (person * 7 + day * 3) % 50;
      return {
        user_id: id,
        user_email: `person.${person}@acme.example`,
        date,
        tool_calls: 10 + n,
        billable_tokens: 1000 * (n + 1) + person,
        primary_model: MODELS[n % 3],
        primary_model_tier: n % 3 === 1 ? 'thinking' : 'standard',
        files_created: n % 4,
        files_edited: n % 9,
        git_commits: n % 3,
        git_prs_created: n % 2,
        mcp_calls: n % 7,
        skill_calls: n % 5,
        slash_commands: n % 6,
        hooks: n % 8,
        sessions: 1 + (n % 3),
        messages: 20 + n,
        user_messages: 5 + (n % 10),
        assistant_messages: 15 + n - (n % 10),
        autonomy_ratio: (10 + n) / (5 + (n % 10)),
        delegation_level: ['auto-high', 'auto-medium', 'manual'][n % 3],
        languages: ['TypeScript', 'Markdown', 'Go'].slice(0, 1 + (n % 3)),
      };
    }),
  );
}

/** Rows of section 2.2. */
export function tokenRows(size: Size): Record<string, unknown>[] {
  const ids = personIds(size);
  return dayTexts(size).map((date, day) => {
    const by_user = ids.map((user_id, person) => {
      const by_model = MODELS.map((model_id, model) => {
        const output_tokens = 100 * (((person + day + model) % 9) + 1);
        return {
          model_id,
          model_tier: model === 1 ? 'thinking' : 'standard',
          billable_tokens: output_tokens * 5,
          input_tokens: output_tokens * 12,
          output_tokens,
        };
      });
      return {
        user_id,
        user_email: `person.${person}@acme.example`,
        billable_tokens: total(by_model, 'billable_tokens'),
        by_model,
      };
    });
    const by_model = MODELS.map((model_id, model) => {
      const entries = by_user.map(user => user.by_model[model]!);
      return {
        model_id,
        model_tier: entries[0]?.model_tier,
        billable_tokens: total(entries, 'billable_tokens'),
        input_tokens: total(entries, 'input_tokens'),
        output_tokens: total(entries, 'output_tokens'),
      };
    });
    return {
      date,
      billable_tokens: total(by_model, 'billable_tokens'),
      input_tokens: total(by_model, 'input_tokens'),
      output_tokens: total(by_model, 'output_tokens'),
      cache_read_tokens: 7 * total(by_model, 'output_tokens'),
      cache_write_tokens: 3 * total(by_model, 'output_tokens'),
      by_model,
      by_user,
    };
  });
}

export function answerOf(rows: readonly unknown[], extra: Record<string, unknown> = {}): string {
  return JSON.stringify({
    data: rows,
    meta: { org_id: 'org_acme', has_more: false, next_cursor: null, ...extra },
  });
}

function total<K extends string>(items: readonly Record<K, number>[], name: K): number {
  return items.reduce((sum, item) => sum + item[name], 0);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
