@contract
Feature: Workflows as tools of AI agents

  Rule: An agent lists, runs and follows the workflows that its token allows

    @store
    Scenario: a stored graph is a tool, and calling it starts a durable run
      Given a file "greet.json":
        """
        {"version": "svc-graph/v1", "inputs": {"who": "string"}, "nodes": [{"id": "say", "type": "set", "config": {"values": {"text": {"$expr": "'hello ' + inputs.who"}}}}]}
        """
      When I call "svc graph save greet {folder}/greet.json"
      And I send "POST" to "{scoped}/mcp" with:
        """
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        """
      Then the answer is 200
      And "result.tools" of the answer matches '"name":"graph_greet"'
      When I send "POST" to "{scoped}/mcp" with:
        """
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "graph_greet", "arguments": {"who": "Ana"}}}
        """
      Then the answer is 200
      And "result.content.0.text" of the answer matches '"status":"succeeded"'
      And "result.content.0.text" of the answer matches "hello Ana"
      When I send "POST" to "{scoped}/mcp" with:
        """
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "graph_greet", "arguments": {"who": 7}}}
        """
      Then the answer is 200
      And "result.isError" of the answer is "true"
      And "result.content.0.text" of the answer matches "input_invalid"

    Scenario: an agent on this machine uses the permissions of the profile
      When I call "svc mcp" with standard input:
        """
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_script", "arguments": {"filename": "a.sh", "source": "echo built", "wait_seconds": 50}}}
        """
      Then it exits with 0
      And standard output is JSON whose "id" is "1"
      And standard output has "succeeded"
      When I call "svc mcp --read-only" with standard input:
        """
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "emit_event", "arguments": {"type": "order.paid"}}}
        """
      Then it exits with 0
      And standard output has "unknown tool: emit_event"

  Rule: Each call is in the audit log

    @store
    Scenario: a call that reads, a call that makes changes and a rejected call are recorded
      Given a member "vera" with the role "viewer" and a token noted as "vera"
      When I send "POST" to "{scoped}/mcp" with:
        """
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_runs", "arguments": {"workflow": "canary.sh"}}}
        """
      And I send "POST" to "{scoped}/mcp" with:
        """
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "emit_event", "arguments": {"type": "order.paid", "payload": "canary"}}}
        """
      And I send "POST" to "{scoped}/mcp" with the token "{vera}" and:
        """
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "emit_event", "arguments": {"type": "order.paid"}}}
        """
      Then "result.isError" of the answer is "true"
      When I call "svc audit ls --action mcp.call --json"
      Then standard output is JSON whose "entries.0.subject" is "emit_event"
      And standard output is JSON whose "entries.0.detail" is "forbidden"
      And standard output is JSON whose "entries.0.principal.name" is "vera"
      And standard output is JSON whose "entries.1.subject" is "emit_event"
      And standard output is JSON whose "entries.1.detail" is "ok"
      And standard output is JSON whose "entries.2.subject" is "list_runs"
      And standard output lacks "canary"
