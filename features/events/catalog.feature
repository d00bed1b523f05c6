Feature: The event types of a project

  Rule: The catalog lists the service's own event types, and recorded types with a sample

    @EVT-073 @EVT-075
    Scenario: the catalog lists built-in types and recorded types
      When I emit "deploy.done" with '{"v":1,"text":"short"}'
      And I emit "deploy.done" with '{"v":2,"text":"short"}'
      Then the catalog has:
        | type           | source   | sample                   |
        | deploy.done    | seen     | {"v":2,"text":"short"}   |
        | push           | platform |                          |
        | run.started    | platform |                          |
        | run.succeeded  | platform |                          |
        | run.failed     | platform |                          |
        | run.cancelled  | platform |                          |
        | schedule.tick  | platform |                          |
        | manual         | platform |                          |
        | spawn          | platform |                          |
        | forge.issues   | platform |                          |
      When I call "svc events types"
      Then standard output matches "deploy.done +seen +20\S+Z +\{\"v\":2"

    @contract
    Scenario: a sample masks the run's secrets and shortens large payloads
      Given the secret "TOKEN" is "hidden-value-123"
      When I submit the script "emit.sh":
        """
        svc emit leaky --payload "[\"$TOKEN\",1,2,3,4,5]"
        """
      Then the run succeeds
      And "payload" of the last event "leaky" is '["***",1,2,3,4,5]'
      And the catalog has:
        | type  | source | sample               |
        | leaky | seen   | ["***",1,2,"…"]      |
