import { type Scope, scoped } from '../api/paths.ts';
import { Copy } from '../kit/basics.tsx';
import { Fact } from '../kit/facts.tsx';
import { Section } from './section.tsx';

interface LineProps {
  name: string;
  text: string;
  copy: string;
}

/** A text that people take elsewhere. */
const Line = ({ name, text, copy }: LineProps) => (
  <Fact name={name}>
    <code className="clip" title={text}>
      {text}
    </code>{' '}
    <Copy text={text} label={copy} />
  </Fact>
);

/** The project as files in a repository. */
export function ProjectAsCode({ scope: { org, project } }: { scope: Scope }) {
  const where = `--org ${org} --project ${project}`;
  return (
    <Section
      title="Project as code"
      about="Keep handlers, schedules, graphs, webhooks, variables and roles as files in a repository. Files never contain values of secrets."
    >
      <dl>
        <Line name="Write files" text={`svc export -o project ${where}`} copy="Copy the export command" />
        <Line name="Compare" text={`svc diff -f project ${where}`} copy="Copy the diff command" />
        <Line name="Apply" text={`svc apply -f project ${where}`} copy="Copy the apply command" />
      </dl>
    </Section>
  );
}

/** The project as a server of the Model Context Protocol. */
export const AgentAccess = ({ scope }: { scope: Scope }) => (
  <Section
    title="AI agents"
    about="An AI agent can use this project through the Model Context Protocol (MCP). It has the role of its token, and the audit log contains each of its calls."
  >
    <dl>
      <Line name="MCP address" text={`${location.origin}${scoped(scope)}/mcp`} copy="Copy the MCP address" />
      <Line
        name="Token"
        text={`svc token create my-agent --role viewer --org ${scope.org} --project ${scope.project} --expires-in 30d`}
        copy="Copy the token command"
      />
      <Fact name="Header">
        <code>Authorization: Bearer &lt;token&gt;</code>
      </Fact>
      <Line name="Local agents" text="svc mcp" copy="Copy the command for local agents" />
    </dl>
  </Section>
);
