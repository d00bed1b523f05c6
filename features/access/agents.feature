@contract
Feature: Agents and their tokens

  Rule: An agent whose token is revoked stops and reports why

    @own-server
    Scenario: a revoked token stops the agent at its next connection
      When the token of the agents is revoked
      And the server is killed
      And the server is started again
      Then the agent ends with 4
      And the log of the agent has "(agent_refused)"
      And the log of the agent has "→ Check SVC_URL"

    Scenario: only an owner can create an agent's token
      Given a token noted as "low" with:
        """
        {"org": "{org}", "project": "{project}", "role": "admin"}
        """
      When I send "POST" to "/api/v1/tokens" with the token "{low}" and:
        """
        {"name": "a", "kind": "agent", "org": "{org}"}
        """
      Then the answer is 403 with code "forbidden"

    Scenario: a user's token cannot open the agent channel
      When I send "GET" to "/api/v1/agents/connect"
      Then the answer is 403 with code "forbidden"
