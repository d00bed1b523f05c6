Feature: Environment of the agent in scripts

  Rule: The agent passes a fixed list of variables to scripts

    @own-agent @SCR-042 @SCR-043 @SCR-044 @SCR-045 @SCR-041
    Scenario: only the listed variables are passed to scripts
      Given an agent of its own with the environment:
        | HOME              | {folder}             |
        | USER              | ann                  |
        | LOGNAME           | ann-logs             |
        | SHELL             | /bin/sh              |
        | TERM              | vt100                |
        | LANG              | C.UTF-8              |
        | LANGUAGE          | en                   |
        | LC_ALL            | C.UTF-8              |
        | LC_TIME           | C                    |
        | TZ                | UTC                  |
        | TMPDIR            | {folder}             |
        | SSL_CERT_FILE     | {folder}/file.pem    |
        | SSL_CERT_DIR      | {folder}/certs       |
        | NIX_SSL_CERT_FILE | {folder}/nix.pem     |
        | PLANTED_SECRET    | must not arrive      |
        | NODE_ENV          | must not arrive      |
        | LCX               | must not arrive      |
        | CI_TRIGGER_SHA    | must not arrive      |
        | SVC_PLANTED       | must not arrive      |
        | SVC_WORKFLOW_ID   | must not arrive      |
      When I submit the script "names.js" to that agent:
        """
        for (const name of Object.keys(process.env).sort()) console.log(name);
        require('node:fs').writeFileSync('{folder}/values', Object.entries(process.env)
          .filter(([name]) => !/^(SVC_AGENT|SVC_ACTIVITY|SVC_INPUT|PATH|CI_TRIGGER_EVENT_ID)/.test(name))
          .map(([name, value]) => `${name}=${value}\n`).sort().join(''));
        """
      Then the run succeeds
      And the log is:
        """
        CI_TRIGGER_EVENT
        CI_TRIGGER_EVENT_ID
        HOME
        LANG
        LANGUAGE
        LC_ALL
        LC_TIME
        LOGNAME
        NIX_SSL_CERT_FILE
        PATH
        SHELL
        SSL_CERT_DIR
        SSL_CERT_FILE
        SVC_ACTIVITY_ID
        SVC_AGENT_ID
        SVC_AGENT_PID
        SVC_AGENT_SOCKET
        SVC_INPUT_FILE
        SVC_WORKFLOW_ID
        TERM
        TMPDIR
        TZ
        USER
        """
      And the file "values" is:
        """
        CI_TRIGGER_EVENT=manual
        HOME={folder}
        LANG=C.UTF-8
        LANGUAGE=en
        LC_ALL=C.UTF-8
        LC_TIME=C
        LOGNAME=ann-logs
        NIX_SSL_CERT_FILE={folder}/nix.pem
        SHELL=/bin/sh
        SSL_CERT_DIR={folder}/certs
        SSL_CERT_FILE={folder}/file.pem
        SVC_WORKFLOW_ID={run}
        TERM=vt100
        TMPDIR={folder}
        TZ=UTC
        USER=ann
        """
