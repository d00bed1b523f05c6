import {
  Blocks,
  BotMessageSquare,
  CreditCard,
  Database,
  Flag,
  GitBranch,
  Gamepad2,
  ListChecks,
  type LucideIcon,
  Mail,
  MessageSquare,
  MessagesSquare,
  Rocket,
  Send,
  ShoppingBag,
  Siren,
  Sparkles,
  Table2,
  Waypoints,
  Webhook,
} from 'lucide-react';

export const CATEGORIES = ['Code', 'Chat', 'AI', 'Shop', 'Incidents', 'Data', 'Other'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface BrandView {
  /** The name that people know. */
  title: string;
  /** Other words that people look for. */
  aliases: readonly string[];
  icon: LucideIcon;
  category: Category;
}

/** The built-in connectors keep the names of the specification; here is what people call the systems. */
const KNOWN: Readonly<Record<string, BrandView>> = {
  forge_a: { title: 'GitHub', aliases: ['git', 'repository', 'pull request'], icon: GitBranch, category: 'Code' },
  forge_b: { title: 'Gitea', aliases: ['forgejo', 'git', 'repository'], icon: GitBranch, category: 'Code' },
  forge_c: { title: 'GitLab', aliases: ['git', 'repository', 'merge request'], icon: GitBranch, category: 'Code' },
  issue_tracker: { title: 'Jira', aliases: ['atlassian', 'ticket', 'issue'], icon: ListChecks, category: 'Code' },
  deploy_hook: { title: 'Netlify', aliases: ['build hook', 'vercel', 'deploy'], icon: Rocket, category: 'Code' },
  feature_flags: { title: 'LaunchDarkly', aliases: ['feature flag', 'toggle'], icon: Flag, category: 'Code' },
  team_chat: { title: 'Slack', aliases: ['chat', 'channel', 'message'], icon: MessageSquare, category: 'Chat' },
  guild_chat: { title: 'Discord', aliases: ['chat', 'guild', 'message'], icon: Gamepad2, category: 'Chat' },
  federated_chat: { title: 'Matrix', aliases: ['element', 'chat', 'room'], icon: MessagesSquare, category: 'Chat' },
  bot_chat: { title: 'Telegram', aliases: ['chat', 'bot', 'message'], icon: Send, category: 'Chat' },
  mail_api: { title: 'SendGrid', aliases: ['mail', 'email', 'twilio'], icon: Mail, category: 'Chat' },
  chat_llm: {
    title: 'OpenAI-compatible',
    aliases: ['openai', 'gpt', 'chatgpt', 'llm', 'ollama'],
    icon: Sparkles,
    category: 'AI',
  },
  messages_llm: { title: 'Anthropic', aliases: ['claude', 'llm'], icon: BotMessageSquare, category: 'AI' },
  embeddings: {
    title: 'OpenAI-compatible embeddings',
    aliases: ['openai', 'vector', 'ollama'],
    icon: Waypoints,
    category: 'AI',
  },
  payment_service: { title: 'Stripe', aliases: ['payment', 'charge', 'invoice'], icon: CreditCard, category: 'Shop' },
  storefront: { title: 'Shopify', aliases: ['shop', 'order', 'product'], icon: ShoppingBag, category: 'Shop' },
  incident_pager: { title: 'PagerDuty', aliases: ['pager', 'on-call', 'alert'], icon: Siren, category: 'Incidents' },
  table_store: { title: 'Airtable', aliases: ['table', 'spreadsheet', 'rows'], icon: Table2, category: 'Data' },
  object_store: { title: 'Amazon S3', aliases: ['s3', 'bucket', 'minio', 'aws'], icon: Database, category: 'Data' },
  standard_webhooks: { title: 'Standard Webhooks', aliases: ['webhook', 'svix'], icon: Webhook, category: 'Other' },
};

/** How a connector is shown; one of somebody else by its own title. */
export function brandOf({ name, title }: { name: string; title: string }): BrandView {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name]! : { title, aliases: [], icon: Blocks, category: 'Other' };
}

/** Operators name providers themselves: `github`, `slack-work`. One that names a known system has its icon. */
export function iconOfProvider(name: string, title: string): LucideIcon {
  const words = `${name} ${title}`.toLowerCase();
  return Object.values(KNOWN).find((brand) => words.includes(brand.title.toLowerCase()))?.icon ?? Blocks;
}
