@contract
Feature: Requests reach only public addresses and addresses that the operator allows

  Rule: No node can reach a special-purpose address

    Scenario Outline: a request to <url> is rejected
      When I run the node "http" with:
        """
        {"url": "<url>", "timeout": "2s"}
        """
      Then the run fails with code "egress_refused"

      Examples: written as they are
        | url                                      |
        | http://127.0.0.2/                        |
        | http://10.0.0.1/                         |
        | http://172.16.0.1/                       |
        | http://192.168.1.1/                      |
        | http://169.254.169.254/latest/meta-data/ |
        | http://100.64.0.1/                       |
        | http://0.0.0.0/                          |
        | http://255.255.255.255/                  |
        | http://[::1]/                            |
        | http://[fe80::1]/                        |
        | http://[fc00::1]/                        |

      Examples: written in disguise
        | url                                  |
        | http://0x7f000002/                   |
        | http://2130706434/                   |
        | http://0177.0.0.2/                   |
        | http://127.2/                        |
        | http://[::ffff:10.0.0.1]/            |
        | http://[::ffff:7f00:2]/              |
        | http://[64:ff9b::a00:1]/             |
        | http://[2002:7f00:2::]/              |

    @far-end
    Scenario: a redirect to a special-purpose address is rejected too
      Given a far end that answers:
        | path | status | headers                             |
        | /x   | 307    | {"location": "http://10.0.0.1/x"}   |
      When I run the node "http" with:
        """
        {"url": "{far}/x"}
        """
      Then the run succeeds
      And "output.status" of the run is "307"
      And the far end got 1 request

    Scenario: a credential is not sent to addresses that it does not allow
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-1-canary"}'
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "http", "retry": {"attempts": 5, "backoff": "1h"},
          "config": {"url": "http://169.254.169.254/", "credential": "bot"}}]}
        """
      Then the run fails with code "egress_refused"
      And nobody can read "tok-1-canary" anywhere in the run
