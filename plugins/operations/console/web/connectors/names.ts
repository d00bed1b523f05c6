import { Webhook } from 'lucide-react';
import type { Icon } from '../kit/icon.ts';
import { drawn, monogram } from './brand-icon.ts';
import { BRANDS } from './brand-paths.ts';

export const CATEGORIES = ['Code', 'Chat', 'AI', 'Shop', 'Incidents', 'Data', 'Other'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface BrandView {
  /** The name that people know. */
  title: string;
  /** Other words that people look for. */
  aliases: readonly string[];
  icon: Icon;
  category: Category;
}

/** The built-in connectors keep the names of the specification; here is what people call the systems. */
const KNOWN: Readonly<Record<string, BrandView>> = {
  forge_a: {
    title: 'GitHub',
    aliases: ['git', 'repository', 'pull request'],
    icon: drawn(BRANDS.github),
    category: 'Code',
  },
  forge_b: { title: 'Gitea', aliases: ['forgejo', 'git', 'repository'], icon: drawn(BRANDS.gitea), category: 'Code' },
  forge_c: {
    title: 'GitLab',
    aliases: ['git', 'repository', 'merge request'],
    icon: drawn(BRANDS.gitlab),
    category: 'Code',
  },
  issue_tracker: {
    title: 'Jira',
    aliases: ['atlassian', 'ticket', 'issue'],
    icon: drawn(BRANDS.jira),
    category: 'Code',
  },
  deploy_hook: {
    title: 'Netlify',
    aliases: ['build hook', 'vercel', 'deploy'],
    icon: drawn(BRANDS.netlify),
    category: 'Code',
  },
  feature_flags: {
    title: 'LaunchDarkly',
    aliases: ['feature flag', 'toggle'],
    icon: monogram('Launch Darkly'),
    category: 'Code',
  },
  team_chat: { title: 'Slack', aliases: ['chat', 'channel', 'message'], icon: drawn(BRANDS.slack), category: 'Chat' },
  guild_chat: {
    title: 'Discord',
    aliases: ['chat', 'guild', 'message'],
    icon: drawn(BRANDS.discord),
    category: 'Chat',
  },
  federated_chat: {
    title: 'Matrix',
    aliases: ['element', 'chat', 'room'],
    icon: drawn(BRANDS.matrix),
    category: 'Chat',
  },
  bot_chat: { title: 'Telegram', aliases: ['chat', 'bot', 'message'], icon: drawn(BRANDS.telegram), category: 'Chat' },
  mail_api: { title: 'SendGrid', aliases: ['mail', 'email', 'twilio'], icon: drawn(BRANDS.sendgrid), category: 'Chat' },
  chat_llm: {
    title: 'OpenAI-compatible',
    aliases: ['openai', 'gpt', 'chatgpt', 'llm', 'ollama'],
    icon: drawn(BRANDS.openai),
    category: 'AI',
  },
  messages_llm: { title: 'Anthropic', aliases: ['claude', 'llm'], icon: drawn(BRANDS.anthropic), category: 'AI' },
  embeddings: {
    title: 'OpenAI-compatible embeddings',
    aliases: ['openai', 'vector', 'ollama'],
    icon: drawn(BRANDS.openai),
    category: 'AI',
  },
  payment_service: {
    title: 'Stripe',
    aliases: ['payment', 'charge', 'invoice'],
    icon: drawn(BRANDS.stripe),
    category: 'Shop',
  },
  storefront: {
    title: 'Shopify',
    aliases: ['shop', 'order', 'product'],
    icon: drawn(BRANDS.shopify),
    category: 'Shop',
  },
  incident_pager: {
    title: 'PagerDuty',
    aliases: ['pager', 'on-call', 'alert'],
    icon: drawn(BRANDS.pagerduty),
    category: 'Incidents',
  },
  table_store: {
    title: 'Airtable',
    aliases: ['table', 'spreadsheet', 'rows'],
    icon: drawn(BRANDS.airtable),
    category: 'Data',
  },
  object_store: {
    title: 'Amazon S3',
    aliases: ['s3', 'bucket', 'minio', 'aws'],
    icon: drawn(BRANDS.amazons3),
    category: 'Data',
  },
  standard_webhooks: { title: 'Standard Webhooks', aliases: ['webhook', 'svix'], icon: Webhook, category: 'Other' },
};

/** What people call a connector, by the name in its manifest: `Slack` of `team_chat`, `Acme shop` of `acme_shop`. */
export function brandTitle(name: string): string {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name]!.title;
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const brandIcon = (name: string): Icon =>
  Object.hasOwn(KNOWN, name) ? KNOWN[name]!.icon : monogram(brandTitle(name));

/** How a connector is shown; one of somebody else by its own title. */
export function brandOf({ name, title }: { name: string; title: string }): BrandView {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name]! : { title, aliases: [], icon: monogram(title), category: 'Other' };
}

/** Operators name providers themselves: `github`, `slack-work`. One that names a known system has its icon. */
export function iconOfProvider(name: string, title: string): Icon {
  const words = `${name} ${title}`.toLowerCase();
  const known = Object.values(KNOWN).find((brand) => words.includes(brand.title.toLowerCase()));
  return known?.icon ?? monogram(title);
}
