@contract
Feature: Programs read the variables of the project and its org through the SDK

  Rule: A script reads the values of its start, no matter what overrides them in its environment

    @store
    Scenario: a TypeScript script reads variables, and a change during its wait does not affect it
      Given the variable "REGION" is "first"
      And the variable "SDK_TIER" of the org is "gold"
      And the variable "SDK_HIDDEN" of the org is "set-by-the-org"
      And the variable "SDK_HIDDEN" is "of-the-project"
      And the variable "TOKEN" is "of-the-variable"
      And the secret "TOKEN" is "of-the-secret"
      When I submit the script "look.ts" with the options '{"env": {"REGION": "of-the-env"}}':
        """
        import { output, step, vars, waitSignal } from 'svc/sdk';
        const look = () => [vars().REGION, vars().SDK_TIER, vars().SDK_HIDDEN, vars().TOKEN, vars().PATH ?? 'none'].join();
        const before = look();
        await waitSignal('go');
        const in_step = await step('look', look);
        await output.set({ before, after: look(), in_step, later: vars().LATER ?? 'none', own: process.env.REGION });
        """
      Then the run waits for "signal" "go"
      Given the variable "REGION" is "second"
      And the variable "SDK_TIER" of the org is "silver"
      And the variable "LATER" is "x"
      When I send the signal "go" with "null"
      Then the run succeeds
      And "output.before" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.after" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.in_step" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.later" of the run is "none"
      And "output.own" of the run is "of-the-env"

    @store @needs-python3
    Scenario: a Python script reads variables, and a change during its wait does not affect it
      Given the variable "REGION" is "first"
      And the variable "SDK_TIER" of the org is "gold"
      And the variable "SDK_HIDDEN" of the org is "set-by-the-org"
      And the variable "SDK_HIDDEN" is "of-the-project"
      And the variable "TOKEN" is "of-the-variable"
      And the secret "TOKEN" is "of-the-secret"
      When I submit the script "look.py" with the options '{"env": {"REGION": "of-the-env"}}':
        """
        import os
        import svc_sdk as svc

        def look():
            found = svc.vars()
            return ",".join([found["REGION"], found["SDK_TIER"], found["SDK_HIDDEN"], found["TOKEN"], found.get("PATH", "none")])

        before = look()
        svc.wait_signal("go")
        in_step = svc.step("look", look)
        later = svc.vars().get("LATER", "none")
        svc.output.set(before=before, after=look(), in_step=in_step, later=later, own=os.environ["REGION"])
        """
      Then the run waits for "signal" "go"
      Given the variable "REGION" is "second"
      And the variable "SDK_TIER" of the org is "silver"
      And the variable "LATER" is "x"
      When I send the signal "go" with "null"
      Then the run succeeds
      And "output.before" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.after" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.in_step" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.later" of the run is "none"
      And "output.own" of the run is "of-the-env"

    @needs-cc
    Scenario: an untrusted script has no variables
      Given the variable "REGION" is "first"
      And the variable "SDK_TIER" of the org is "gold"
      When a fork runs "look.mjs" as "outside":
        """
        import { output, vars } from 'svc/sdk';
        await output.set({ vars: vars() });
        """
      Then the run succeeds
      And "trusted" of the run is "false"
      And "output" of the run is '{"vars":{}}'

  Rule: A function on a worker reads them too, and so does one that runs as a script

    @own-agent @store
    Scenario: a TypeScript function reads the variables of its start on a worker
      Given a worker of its own with the file "flows.ts":
        """
        import { call, step, vars, waitSignal, workflow } from 'svc/sdk';
        workflow('tells-{project}', async () => vars().REGION);
        workflow('looks-{project}', async (_input, context) => {
          const look = () => [context.vars.REGION, vars().SDK_TIER, vars().SDK_HIDDEN, vars().TOKEN, vars().PATH ?? 'none'].join();
          const before = look();
          await waitSignal('go');
          const in_step = await step('look', look);
          return { before, after: look(), in_step, called: await call('tells-{project}'), own: context.env.TOKEN };
        });
        """
      And the variable "REGION" is "first"
      And the variable "SDK_TIER" of the org is "gold"
      And the variable "SDK_HIDDEN" of the org is "set-by-the-org"
      And the variable "SDK_HIDDEN" is "of-the-project"
      And the variable "TOKEN" is "of-the-variable"
      When I call "svc submit --function looks-{project} --env TOKEN=of-the-env"
      And I look at the run on standard output
      Then the run waits for "signal" "go"
      Given the variable "REGION" is "second"
      And the variable "SDK_TIER" of the org is "silver"
      When I send the signal "go" with "null"
      Then the run succeeds
      And "output.before" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.after" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.in_step" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.called" of the run is "first"
      And "output.own" of the run is "of-the-env"

    @own-agent @store @needs-python3
    Scenario: a Python function reads the variables of its start on a worker
      Given a worker of its own with the file "flows.py":
        """
        from svc_sdk import aio, secret, step, vars, wait_signal, workflow

        def look():
            found = vars()
            return ",".join([found["REGION"], found["SDK_TIER"], found["SDK_HIDDEN"], found["TOKEN"], found.get("PATH", "none")])

        @workflow("looks-{project}")
        async def looks():
            before = look()
            await aio.wait_signal("go")
            in_step = await aio.step("look", look)
            called = await aio.call("tells-{project}")
            return {"before": before, "after": look(), "in_step": in_step, "called": called, "own": secret("TOKEN")}

        @workflow("tells-{project}")
        def tells():
            return vars()["REGION"]
        """
      And the variable "REGION" is "first"
      And the variable "SDK_TIER" of the org is "gold"
      And the variable "SDK_HIDDEN" of the org is "set-by-the-org"
      And the variable "SDK_HIDDEN" is "of-the-project"
      And the variable "TOKEN" is "of-the-variable"
      When I call "svc submit --function looks-{project} --env TOKEN=of-the-env"
      And I look at the run on standard output
      Then the run waits for "signal" "go"
      Given the variable "REGION" is "second"
      And the variable "SDK_TIER" of the org is "silver"
      When I send the signal "go" with "null"
      Then the run succeeds
      And "output.before" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.after" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.in_step" of the run is "first,gold,of-the-project,of-the-variable,none"
      And "output.called" of the run is "first"
      And "output.own" of the run is "of-the-env"

    Scenario: a TypeScript function that runs as a script reads variables
      Given the variable "REGION" is "first"
      When I submit the script "looks.ts":
        """
        import { serve, vars, workflow } from 'svc/sdk';
        workflow('looks', async (_input, context) => ({ region: context.vars.REGION, same: context.vars === vars() }));
        await serve();
        """
      Then the run succeeds
      And "output" of the run is '{"region":"first","same":true}'

    @needs-python3
    Scenario: a Python function that runs as a script reads variables
      Given the variable "REGION" is "first"
      When I submit the script "looks.py":
        """
        from svc_sdk import serve, vars, workflow

        @workflow
        def looks():
            return {"region": vars()["REGION"]}

        serve()
        """
      Then the run succeeds
      And "output" of the run is '{"region":"first"}'

  Rule: Secrets stay masked when they have the text of a variable

    @own-agent
    Scenario: a function returns a variable with the text of a secret
      Given a worker of its own with the file "flows.mjs":
        """
        import { vars, workflow } from 'svc/sdk';
        workflow('returns-{project}', async () => ({ host: vars().HOST, region: vars().REGION }));
        """
      And the variable "HOST" is "sesame-4711"
      And the variable "REGION" is "first"
      And the secret "HOST" is "sesame-4711"
      When I call "svc submit --function returns-{project}"
      And I look at the run on standard output
      Then the run succeeds
      And "output.host" of the run is "***"
      And "output.region" of the run is "first"
