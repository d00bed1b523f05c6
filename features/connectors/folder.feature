Feature: Connectors in a folder

  Rule: A running server detects new, changed and removed connectors

    @contract @far-end @own-server @configured
    Scenario: a connector is added to a folder, changed, made invalid and removed, and the server keeps running
      Given a far end
      And a file "connectors/notes.txt":
        """
        Connectors go into this folder.
        """
      And a server and an agent of their own with:
        | SVC_CONNECTORS | {folder}/connectors |
      When I send "POST" to "{scoped}/runs" with:
        """
        { "node": "desk.open", "config": { "with": { "base_url": "{far}" } } }
        """
      Then the answer is 422 with code "workflow_invalid"
      Given a file "connectors/desk.json":
        """
        { "manifest": "svc-connector/v1", "name": "desk", "title": "Desk one",
          "fields": [{ "name": "base_url", "type": "string", "required": true }],
          "actions": { "open": { "request": { "method": "GET", "url": "{{ with.base_url }}/one" } } } }
        """
      Then the server soon shows the connector "desk" as "Desk one"
      When I run the node "desk.open" with:
        """
        { "with": { "base_url": "{far}" } }
        """
      Then the run succeeds
      And the far end got:
        | method | path |
        | GET    | /one |
      Given a file "connectors/desk.json":
        """
        { "manifest": "svc-connector/v1", "name": "desk", "title": "Desk two",
          "fields": [{ "name": "base_url", "type": "string", "required": true }],
          "actions": { "open": { "request": { "method": "GET", "url": "{{ with.base_url }}/two" } } } }
        """
      Then the server soon shows the connector "desk" as "Desk two"
      When I run the node "desk.open" with:
        """
        { "with": { "base_url": "{far}" } }
        """
      Then the run succeeds
      And the far end got:
        | method | path |
        | GET    | /one |
        | GET    | /two |
      Given a file "connectors/desk.json":
        """
        { "manifest": "svc-connector/v1", "name": "desk", "title": "Desk three",
          "actions": { "open": { "request": { "method": "GET", "url": "https://desk.example.org/{{ input.nope }}" } } } }
        """
      Then the server soon reports the connector file "connectors/desk.json" with the rule "name_undeclared"
      And the server soon shows the connector "desk" as "Desk two"
      When I call "svc connector ls"
      Then standard output has "Desk two"
      And standard error has "invalid: connectors/desk.json /actions/open/request/url"
      When I send "GET" to "/readyz"
      Then the answer is 200
      When I remove the file "connectors/desk.json"
      Then the server soon shows no connector "desk"
      When I send "POST" to "{scoped}/runs" with:
        """
        { "node": "desk.open", "config": { "with": { "base_url": "{far}" } } }
        """
      Then the answer is 422 with code "workflow_invalid"
      When I call "svc connector show desk"
      Then it exits with 1
      And standard error has "has no connector desk"

    @contract @far-end @own-server @configured
    Scenario: an open run uses the connector that it was submitted with until it is removed, and an incomplete file is ignored
      Given a far end
      And a file "connectors/desk/manifest.json":
        """
        { "manifest": "svc-connector/v1", "name": "desk", "title": "Desk",
          "fields": [{ "name": "base_url", "type": "string", "required": true }],
          "actions": { "open": { "request": { "method": "GET", "url": "{{ with.base_url }}/one" } } } }
        """
      And a server and an agent of their own with:
        | SVC_CONNECTORS | {folder}/connectors |
      When I run the graph:
        """
        {"nodes": [
          {"id": "wait", "type": "wait_signal", "config": {"name": "go"}},
          {"id": "open", "type": "desk.open", "config": {"with": {"base_url": "{far}"}}}],
         "edges": [{"from": "wait", "to": "open"}]}
        """
      Given a file "connectors/half.json":
        """
        { "manifest": "svc-connector/v1", "name": "half", "title":
        """
      Then the server soon reports the connector file "connectors/half.json" with the rule "json"
      When I remove the file "connectors/desk/manifest.json"
      Then the server soon shows no connector "desk"
      Given a file "connectors/half.json":
        """
        { "manifest": "svc-connector/v1", "name": "half", "title": "Whole" }
        """
      Then the server soon shows the connector "half" as "Whole"
      When I call "svc signal {run} go"
      Then the run succeeds
      And the far end got:
        | method | path |
        | GET    | /one |
