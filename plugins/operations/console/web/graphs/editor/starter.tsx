import { ArrowRight } from 'lucide-react';
import { iconOf } from '../canvas/icons.ts';
import { typeName } from '../canvas/node-names.ts';
import { GRAPH_TEMPLATES, type GraphTemplate, TRIGGERS } from './starts.ts';

interface Props {
  add(type: string): void;
  use(template: GraphTemplate): void;
}

/** What an empty canvas offers: what starts the graph, or a small graph that works already. */
export const Starter = ({ add, use }: Props) => (
  <section className="graph-starter" aria-label="Start the graph">
    <h2>What starts this graph?</h2>
    <ul className="starter-triggers">
      {TRIGGERS.map(({ type, says }) => {
        const Icon = iconOf(type);
        return (
          <li key={type}>
            <button type="button" onClick={() => add(type)}>
              <span className="graph-icon trigger">
                <Icon size={16} aria-hidden />
              </span>
              <span className="type-words">
                <span>{typeName(type)}</span> <span className="quiet">{says}</span>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
    <h3>Or start from a template</h3>
    <ul className="starter-templates">
      {GRAPH_TEMPLATES.map((template) => (
        <li key={template.name}>
          <button type="button" onClick={() => use(template)}>
            <span className="strong">{template.name}</span> <span className="quiet clip">{template.says}</span>
            <ArrowRight size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  </section>
);
