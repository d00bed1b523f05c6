Feature: Problems at server start

  @contract
  Rule: A startup error has a code, and describes the problem and how to fix it

    @program
    Scenario Outline: svc serve does not start with <what>
      Given a master key noted as "key"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | <database> |
        | SVC_MASTER_KEY   | <key>      |
        | SVC_PORT         | <port>     |
      Then it exits with 1
      And standard error has "(<code>)"
      And standard error has "<says>"
      And standard error has "→ "
      And standard error lacks "hush"
      And standard error lacks "{key}"

      Examples:
        | what                            | database                        | key    | port  | code                 | says                 |
        | a database that is down         | mysql://root:hush@127.0.0.1:1/x | {key}  | 0     | database_unavailable | SVC_DATABASE_URL     |
        | an address of no database       | postgres://x:hush@y/z           | {key}  | 0     | database_url_invalid | mysql://             |
        | a file that is no database      | sqlite:/etc/passwd              | {key}  | 0     | database_corrupt     | passwd               |
        | a folder that cannot be made    | sqlite:/dev/null/svc.db         | {key}  | 0     | database_unavailable | /dev/null            |
        | a master key of the wrong size  | sqlite:{folder}/a.db            | c2hvcnQ= | 0   | master_key_invalid   | openssl rand         |
        | a port that is none             | sqlite:{folder}/a.db            | {key}  | 99999 | setting_invalid      | SVC_PORT             |

      @needs-root
      Examples:
        | what                            | database                        | key    | port  | code                 | says                 |
        | a full disk                     | sqlite:/dev/full                | {key}  | 0     | storage_full         | Free space           |

  Rule: A database can be opened only with its master key

    @program @AUTH-039
    Scenario: a missing or wrong key is rejected, nothing changes, and the right key still works
      Given an empty database
      And a master key noted as "key"
      And a master key noted as "wrong"
      When I call "svc admin bootstrap --org acme --project main --user ana" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
      Then it exits with 0
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   |            |
        | SVC_PORT         | 0          |
      Then it exits with 1
      And standard error has "(master_key_missing)"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {wrong}    |
        | SVC_PORT         | 0          |
      Then it exits with 1
      And standard error has "(master_key_wrong)"
      When I start "svc serve" as "server" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
        | SVC_PORT         | 0          |
      Then "server" says "svc serve is ready: (\S+)"
      When "server" gets the signal "SIGTERM"
      Then "server" ends with 0

    @program @AUTH-040
    Scenario: a copy of the database without its key reveals no sealed value
      Given an empty database
      And a master key noted as "key"
      And a master key noted as "other"
      And a master key noted as "third"
      When I call "svc admin bootstrap --org acme --project main --user ana --json" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
      Then standard output is JSON whose "token" is noted as "owner"
      When I start "svc serve" as "server" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
        | SVC_PORT         | 0          |
      Then "server" says "svc serve is ready: (\S+)"
      When I set the secret "DEPLOY_KEY" to "sealed-for-good" at "{server}" with the token "{owner}"
      And "server" gets the signal "SIGTERM"
      Then "server" ends with 0
      And no table of "{database}" holds "sealed-for-good"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {other}    |
        | SVC_PORT         | 0          |
      Then it exits with 1
      And standard error has "(master_key_wrong)"
      When I call "svc admin rekey" with the settings:
        | SVC_DATABASE_URL   | {database} |
        | SVC_MASTER_KEY     | {other}    |
        | SVC_NEW_MASTER_KEY | {third}    |
      Then it exits with 1
      And standard error has "(master_key_wrong)"

    @program @contract
    Scenario: a database can be bootstrapped only once
      Given an empty database
      And a master key noted as "key"
      When I call "svc admin bootstrap --org acme --project main --user ana" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
      Then standard output matches "^svc_pat_\S{43}$"
      When I call "svc admin bootstrap --org acme --project main --user ana" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
      Then it exits with 1
      And standard error has "(already_bootstrapped)"

  @contract
  Rule: Only one process can use a port or a folder

    @program
    Scenario: svc dev prints its database and reports its runs, and svc serve cannot use that database
      Given a file "job.sh":
        """
        svc wait-signal go
        exit 3
        """
      When I start "svc dev --port 0 --log plain" as "dev" with the settings:
        | SVC_LOG_LEVEL | error |
      Then "dev" says "database {folder}/.svc/svc.db: new"
      When I call "svc serve" without the environment's target
      Then it exits with 1
      And standard error has "a running `svc dev` is using the database {folder}/.svc/svc.db (home_in_use)"
      When I call "svc submit job.sh" without the environment's target
      Then it exits with 0
      And "dev" says "\d\d:\d\d:\d\d  (run_\w+)  job.sh  waits for signal go"
      When I call "svc signal {dev} go" without the environment's target
      Then "dev" says "{dev}  job.sh  failed: script_failed"
      When "dev" gets the signal "SIGTERM"
      Then "dev" ends with 0
      When I start "svc dev --port 0 --log json" as "again" with the settings:
        | SVC_LOG_LEVEL | error |
      Then "again" says "database {folder}/.svc/svc.db: yours, since "
      When I call "svc submit job.sh" without the environment's target
      Then "again" says '"workflow":"job.sh","status":"waiting","substate":[{]"kind":"signal","name":"go"'
      When "again" gets the signal "SIGTERM"
      Then "again" ends with 0

    @program
    Scenario: a second svc dev cannot use the same folder
      When I start "svc dev --port 0" as "first" with the settings:
        | SVC_LOG_LEVEL | warn |
      Then "first" says "svc dev is ready: (http://\S+)"
      When I call "svc dev --port 0" without the environment's target
      Then it exits with 1
      And standard error has "(home_in_use)"
      And standard error has "--home"
      When I call "svc whoami" without the environment's target
      Then it exits with 0
      When "first" gets the signal "SIGKILL"
      And I start "svc dev --port 0" as "second" with the settings:
        | SVC_LOG_LEVEL | warn |
      Then "second" says "svc dev is ready: (http://\S+)"
      When "second" gets the signal "SIGTERM"
      Then "second" ends with 0

    @program
    Scenario: svc dev immediately continues the work of a previous svc dev that was killed
      Given a file "long.sh":
        """
        svc step first -- sh -c 'echo first >> {folder}/firsts'
        svc step second -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/seconds; [ -e {folder}/dead ] || sleep 600'
        """
      When I start "svc dev --port 0" as "first" with the settings:
        | SVC_LEASE_MS  | 3600000 |
        | SVC_LOG_LEVEL | warn    |
      Then "first" says "svc dev is ready: (http://\S+)"
      When I call "svc submit long.sh" without the environment's target
      Then it exits with 0
      And the file "seconds" soon has 1 line
      When "first" gets the signal "SIGKILL"
      Given a file "dead":
        """
        """
      When I start "svc dev --port 0" as "second" with the settings:
        | SVC_LEASE_MS  | 3600000 |
        | SVC_LOG_LEVEL | info    |
      Then the file "seconds" soon has 2 lines
      And "second" says "the previous process's agents have ended"
      And the file "seconds" has 1 different line
      And the file "firsts" has 1 line
      When "second" gets the signal "SIGTERM"
      Then "second" ends with 0

    @program
    Scenario: svc dev rejects a folder that it cannot create
      When I call "svc dev --port 0 --home /dev/null/here" without the environment's target
      Then it exits with 1
      And standard error has "(home_unusable)"
      And standard error has "→ choose a folder that you can write to with --home"

    @own-server @configured
    Scenario: two servers cannot listen on one port
      Given a master key noted as "key"
      And the port of the server is noted as "port"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | sqlite:{folder}/a.db |
        | SVC_MASTER_KEY   | {key}                |
        | SVC_PORT         | {port}               |
      Then it exits with 1
      And standard error has "(address_in_use)"
