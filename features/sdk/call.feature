@contract
Feature: Programs call nodes and graphs through the SDK

  Background:
    Given a file "sum.json":
      """
      {
        "version": "svc-graph/v1",
        "nodes": [{"id": "sum", "type": "set", "config": {"values": {"$expr": "input.a + input.b"}}}]
      }
      """
    And I call "svc graph save sum {folder}/sum.json"

  Rule: A call returns the run's output, and throws if the run does not succeed

    Scenario: a TypeScript program calls a node and a graph
      When I submit the script "job.ts":
        """
        import { callGraph, callNode, output, StepError } from 'svc/sdk';
        import { readFileSync } from 'node:fs';
        const node = await callNode('set', { values: { a: [1, null] } });
        await callNode('delay', { for: '20ms' });
        const stored = await callGraph('sum', { input: { a: 1, b: 2 } });
        const definition = JSON.parse(readFileSync('{folder}/sum.json', 'utf8'));
        const inline = await callGraph({ definition }, { input: { a: 3, b: 4 } });
        const reason = await callGraph('nowhere').catch((error) => (error instanceof StepError ? error.reason : error));
        await output.set({ node, stored, inline, refused: reason.startsWith('not_found') });
        """
      Then the run succeeds
      And "output" of the run is '{"node":{"a":[1,null]},"stored":3,"inline":7,"refused":true}'

    @needs-python3
    Scenario: a Python program calls a node and a graph
      When I submit the script "job.py":
        """
        import asyncio, json
        import svc_sdk as svc
        from svc_sdk import aio

        node = svc.call_node("set", {"values": {"a": [1, None]}})
        svc.call_node("delay", {"for": "20ms"})
        stored = svc.call_graph("sum", input={"a": 1, "b": 2})
        definition = json.load(open("{folder}/sum.json"))
        inline = asyncio.run(aio.call_graph(definition=definition, input={"a": 3, "b": 4}))
        try:
            svc.call_graph("nowhere")
        except svc.StepError as error:
            refused = error.reason.startswith("not_found")
        svc.output.set(node=node, stored=stored, inline=inline, refused=refused)
        """
      Then the run succeeds
      And "output" of the run is '{"node":{"a":[1,null]},"stored":3,"inline":7,"refused":true}'
