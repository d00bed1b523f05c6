@far-end @contract
Feature: Large responses

  Rule: A response that is too large for a record becomes an artifact of the run

    Scenario: the node's output has the artifact's path, size and digest, and the file is complete
      Given a far end that answers 5000000 bytes
      When I run the node "http" with:
        """
        {"url": "{far}/big"}
        """
      Then the run succeeds
      And "output.status" of the run is "200"
      And "output.body" of the run is "null"
      And "output.artifact.size" of the run is "5000000"
      And "output.artifact.digest" of the run is "sha256:{digest}"
      When I call "svc artifact get {run} answers/node --output {folder}"
      Then it exits with 0

    Scenario: a large response with a failing status is reported, and nothing is stored
      Given a far end that answers 5000000 bytes
      When I run the node "http" with:
        """
        {"url": "{far}/big", "retry_on": [200]}
        """
      Then the run fails with code "request_failed"
      When I send "GET" to "{scoped}/runs/{run}/artifacts"
      Then "artifacts" of the answer is "[]"

    Scenario: a rerun from a later node has the earlier node's file
      Given a far end that answers 5000000 bytes
      When I run the graph:
        """
        {"version": "svc-graph/v1",
         "nodes": [{"id": "big", "type": "http", "config": {"url": "{far}/big"}},
                   {"id": "size", "type": "set", "config": {"values": {"$expr": "nodes.big.output.artifact"}}}],
         "edges": [{"from": "big", "to": "size"}]}
        """
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then "run_id" of the answer is noted as "first"
      When I rerun it from "size" as "second"
      Then the run succeeds
      And "output.path" of the run is "answers/big"
      When I send "DELETE" to "{scoped}/runs/{first}/artifacts/answers/big"
      Then the answer is 204
      When I call "svc artifact get {run} answers/big --output {folder}"
      Then it exits with 0
      When I send "GET" to "{scoped}/runs/{run}/artifacts"
      Then "artifacts.0.digest" of the answer is "sha256:{digest}"
