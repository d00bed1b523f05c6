import { Repeat } from 'lucide-react';
import { useState } from 'react';
import { Empty } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
import { nodeName } from '../canvas/node-names.ts';
import type { GraphNode } from '../document.ts';
import { ExpressionField } from '../expressions/expression-field.tsx';
import { FieldFrame } from './field-frame.tsx';
import { useFormPlace } from './form-context.ts';
import { JsonField } from './json-field.tsx';
import { exprOf, fieldOf, labelOf, type Schema } from './schema-fields.ts';
import { ObjectField } from './nested-fields.tsx';
import type { NodeType } from './types.ts';
import { ValueField } from './value-field.tsx';
import { type Variables, VariablesProvider, withVariable } from './variables.ts';

type Config = Readonly<Record<string, unknown>>;

interface Props {
  /** Undefined: no plugin of the server knows the type. */
  type: NodeType | undefined;
  config: Config | undefined;
  onChange(config: Config | undefined): void;
  pointer: string;
}

/** The config of a node as its type says, or as JSON. */
export function ConfigForm(props: Props) {
  const { type, config, onChange, pointer } = props;
  const [json, setJson] = useState(false);
  return (
    <>
      <div className="value-head">
        <h3>Configuration</h3>
        {type && (
          <button type="button" className="small" aria-pressed={json} onClick={() => setJson(!json)}>
            All as JSON
          </button>
        )}
      </div>
      {json || !type ? (
        <FieldFrame label="Configuration, as JSON" pointer={pointer} deep>
          <JsonField
            label="Configuration, as JSON"
            value={config}
            onChange={(now) => (now === undefined || isConfig(now)) && onChange(now)}
          />
        </FieldFrame>
      ) : (
        <Members {...props} type={type} />
      )}
    </>
  );
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function Members({ type, config = {}, onChange, pointer }: Props & { type: NodeType }) {
  const root = type.config as Schema;
  const { properties = {}, required = [] } = root;
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = config;
    const now = value === undefined ? rest : { ...config, [name]: value };
    onChange(Object.keys(now).length === 0 ? undefined : now);
  };
  const field = fieldOf(root, root);
  if (field.kind === 'variants')
    return (
      <ValueField
        name="config"
        schema={root}
        root={root}
        value={config}
        pointer={pointer}
        required
        onChange={(now) => onChange(isConfig(now) ? now : {})}
      />
    );
  const names = Object.keys(properties);
  const others = Object.keys(config).filter((name) => !Object.hasOwn(properties, name));
  return (
    <VariablesProvider value={properties.script && properties.env && variablesOf(type, config, onChange)}>
      {names.length === 0 && others.length === 0 && <Empty>There is nothing to configure.</Empty>}
      {names.map((name) => (
        <One
          key={name}
          type={type}
          name={name}
          schema={properties[name]!}
          required={required.includes(name)}
          value={config[name]}
          onChange={(value) => set(name, value)}
          pointer={`${pointer}/${name}`}
        />
      ))}
      {others.length > 0 && (
        <ObjectField
          Value={ValueField}
          name="others"
          label="the configuration"
          schema={{}}
          root={root}
          members={[]}
          more={{}}
          required
          value={Object.fromEntries(others.map((name) => [name, config[name]]))}
          onChange={(now) =>
            onChange({
              ...Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(properties, name))),
              ...(now as Config),
            })
          }
          pointer={pointer}
        />
      )}
    </VariablesProvider>
  );
}

/** Those of a program: its `env`. */
function variablesOf({ type }: NodeType, config: Config, onChange: Props['onChange']): Variables {
  const env = isConfig(config.env) ? config.env : {};
  return {
    language: type === 'shell' ? 'bash' : typeof config.language === 'string' ? config.language : 'javascript',
    names: [...Object.keys(env), ...Object.keys(isConfig(config.credentials) ? config.credentials : {})],
    take(cel) {
      const made = withVariable(env, cel);
      if (made.env !== env) onChange({ ...config, env: made.env });
      return made.name;
    },
  };
}

interface OneProps {
  type: NodeType;
  name: string;
  schema: Schema;
  required: boolean;
  value: unknown;
  onChange(value: unknown): void;
  pointer: string;
}

/** A member of the config. Some are expressions by themselves, and one is a node. */
function One({ type, ...props }: OneProps) {
  const { name, schema, required, value, onChange, pointer } = props;
  const { names } = useFormPlace();
  const label = labelOf(name, schema);
  const cel = exprOf(value) ?? value;
  const isCel = [...type.expressions, ...type.predicates].includes(name);
  if (isCel && (cel === undefined || typeof cel === 'string'))
    return (
      <FieldFrame label={label} pointer={pointer} required={required} description={schema.description}>
        <ExpressionField
          label={label}
          names={type.predicates.includes(name) ? { ...names, event: true } : names}
          value={cel ?? ''}
          onChange={(text) => onChange(text === '' && !required ? undefined : text)}
        />
      </FieldFrame>
    );
  if (type.type === 'fan_out' && name === 'node') return <InnerNode {...props} />;
  if (type.type === 'each' && Object.hasOwn(BODY_LABELS, name)) return <LoopMember {...props} />;
  return <ValueField {...props} root={type.config as Schema} />;
}

/** The labels of the members that are the graph in a loop. */
const BODY_LABELS: Readonly<Record<string, string>> = {
  nodes: 'Nodes for each item',
  edges: 'Edges between them',
  output: 'Result of each item',
};

/** A member of the graph that a loop runs for each item, as JSON; its nodes are drawn where it is opened. */
function LoopMember({ name, value, required, onChange, pointer, schema }: Omit<OneProps, 'type'>) {
  const { openLoop } = useFormPlace();
  const label = BODY_LABELS[name]!;
  const nodes = name === 'nodes' && Array.isArray(value) ? value.filter(isNamed) : [];
  return (
    <FieldFrame label={label} pointer={pointer} required={required} description={schema.description} deep>
      {nodes.length > 0 && <p className="quiet">{visible(nodes.map(nodeName).join(', '))}</p>}
      {name === 'nodes' && openLoop && (
        <button type="button" onClick={openLoop}>
          <Repeat size={14} aria-hidden /> Open loop
        </button>
      )}
      <details>
        <summary>As JSON</summary>
        <JsonField label={label} value={value} onChange={onChange} />
      </details>
    </FieldFrame>
  );
}

const isNamed = (node: unknown): node is GraphNode =>
  isConfig(node) && typeof node.id === 'string' && typeof node.type === 'string';

/** The node that a fan-out runs for each item. */
function InnerNode({ value, onChange, pointer, schema }: Omit<OneProps, 'type'>) {
  const { types } = useFormPlace();
  const { type = '', config } = (isConfig(value) ? value : {}) as { type?: string; config?: Config };
  const fit = [...types.values()].filter((one) => !one.trigger && !['fan_out', 'each'].includes(one.type));
  return (
    <FieldFrame label="Node for each item" pointer={pointer} required description={schema.description}>
      <select
        aria-label="Node type for each item"
        value={type}
        onChange={({ target }) => onChange({ type: target.value })}
      >
        {!fit.some((one) => one.type === type) && <option value={type}>{type || 'Choose one'}</option>}
        {fit.map((one) => (
          <option key={one.type} value={one.type}>
            {one.type}
          </option>
        ))}
      </select>
      <div className="nested">
        <ConfigForm
          key={type}
          type={types.get(type)}
          config={config}
          onChange={(now) => onChange({ type, ...(now && { config: now }) })}
          pointer={`${pointer}/config`}
        />
      </div>
    </FieldFrame>
  );
}
