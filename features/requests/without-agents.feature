@contract
Feature: Which process sends a request

  Rule: A server can send requests itself

    @own-server
    Scenario: requests need no agent
      Given a far end
      When every agent is stopped
      And I run the node "http" with:
        """
        {"url": "{far}/x"}
        """
      Then the run succeeds
      And the far end got 1 request
      When I call "svc agents ls --json"
      Then standard output lacks "server "

    @own-server @configured
    Scenario: an agent sends requests if the server is configured not to
      Given a far end
      And a server and an agent of their own with:
        | SVC_EGRESS_ALLOW | 127.0.0.1 |
        | SVC_SERVER_HTTP  | off       |
      When I run the node "http" with:
        """
        {"url": "{far}/x"}
        """
      Then the run succeeds
      When every agent is stopped
      And I run the node "http" with:
        """
        {"url": "{far}/y"}
        """
      Then the run is "queued"
      And the far end got 1 request
      When an agent "later" starts in the folder "later"
      Then the run succeeds

    @own-server @configured
    Scenario: the server does not run scripts itself
      Given a server and an agent of their own with:
        | SVC_LOG_LEVEL | warn |
      When every agent is stopped
      And I submit the script "one.sh" with the options '{"requires": ["http"]}':
        """
        echo "from an agent"
        """
      Then the run is "queued"
      When an agent "later" starts in the folder "later"
      Then the run succeeds

    @own-server @configured
    Scenario Outline: a server does not start with an invalid setting: <value>
      Given an empty database
      And a master key noted as "key"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
        | SVC_SERVER_HTTP  | <value>    |
      Then it exits with 1
      And standard error has "SVC_SERVER_HTTP"

      Examples:
        | value |
        | maybe |
        | 0     |

  Rule: A request survives its sender and is sent again with the same key

    @own-server
    Scenario: the svc server is killed while the other server handles the request
      Given a far end that answers nothing
      # An agent would survive the server, and its request would not be sent again.
      When every agent is stopped
      And I run the node "http" with:
        """
        {"url": "{far}/pay", "method": "POST", "body": {"amount": 5}}
        """
      Then the far end gets 1 request
      When the server is killed
      And the far end answers again
      And the server is started again
      Then the run succeeds
      And the far end got 2 requests
      And all requests have the same "Idempotency-Key"
      And all requests have the same "body"

    @own-server @configured
    Scenario: the agent is killed while the other server handles the request
      Given a far end that answers nothing
      And a server and an agent of their own with:
        | SVC_EGRESS_ALLOW | 127.0.0.1 |
        | SVC_SERVER_HTTP  | off       |
      When I run the node "http" with:
        """
        {"url": "{far}/pay", "method": "POST", "body": {"amount": 5}}
        """
      Then the far end gets 1 request
      When every agent is killed
      And the far end answers again
      And an agent "second" starts in the folder "second"
      Then the run succeeds
      And the far end got 2 requests
      And all requests have the same "Idempotency-Key"

    @far-end
    Scenario: cancelling the run ends its request
      Given a far end that answers nothing
      When I run the node "http" with:
        """
        {"url": "{far}/slow"}
        """
      Then the far end gets 1 request
      When I cancel the run because "enough"
      Then the run is "cancelled"
      And the far end sees the connection close
