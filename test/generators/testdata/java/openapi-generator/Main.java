import java.util.List;
import java.util.Locale;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AgentsApi;
import org.openapitools.client.api.CeremoniesApi;
import org.openapitools.client.api.CompanyApi;
import org.openapitools.client.api.DepartmentsApi;
import org.openapitools.client.api.VersionsApi;
import org.openapitools.client.model.*;

/** Uses the client that openapi-generator has made. */
public class Main {
    static final ApiClient client = new ApiClient().setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));

    static {
        client.updateBaseUri(System.getenv("URL"));
    }

    static final AgentsApi agents = new AgentsApi(client);

    interface Request {
        Object send() throws ApiException;
    }

    public static void main(String[] args) throws Exception {
        new DepartmentsApi(client).departmentsCreate(new CreateDepartmentRequest().name("Sales"), null, null);
        for (String name : List.of("Ann", "Bob", "Cy", "Dee", "Eve")) {
            AgentConfig agent = clerk(name);
            System.out.println("hired " + agent.getName() + " " + agent.getVersion());
        }
        pages();
        changes();
        refused("taken", () -> clerk("ann"));
        policies();
        UpdateCompanyRequest body = new UpdateCompanyRequest().budgetMonthly(20000001.99);
        double budget = new CompanyApi(client).companyUpdate(body, null, null).getData().getBudgetMonthly();
        System.out.printf(Locale.ROOT, "budget %.2f%n", budget);
    }

    static AgentConfig clerk(String name) throws ApiException {
        CreateAgentOrgRequest body = new CreateAgentOrgRequest().name(name).role("Clerk").department("Sales");
        return agents.agentsCreate(body, null, null, null).getData();
    }

    static void pages() throws ApiException {
        String cursor = null;
        do {
            PaginatedResponseAgentConfig page = agents.agentsList(cursor, 2, null, null, null, null, null, null);
            System.out.print("page");
            page.getData().forEach(agent -> System.out.print(" " + agent.getName()));
            System.out.println();
            cursor = page.getPagination().getNextCursor();
        } while (cursor != null);
    }

    static void changes() throws Exception {
        String tag = agents.agentsGetWithHttpInfo("Ann", null, null).getHeaders().get("ETag").get(0);
        System.out.println("changed " + change(AgentLevel.SENIOR, tag).getVersion());
        refused("stale", () -> change(AgentLevel.LEAD, tag));
    }

    static AgentConfig change(AgentLevel level, String tag) throws ApiException {
        return agents.agentsUpdate("Ann", new UpdateAgentOrgRequest().level(level), tag, null, null).getData();
    }

    static void refused(String what, Request request) throws Exception {
        try {
            request.send();
        } catch (ApiException e) {
            ErrorDetail detail = client.getObjectMapper().readValue(e.getResponseBody(), ErrorEnvelope.class).getErrorDetail();
            System.out.println(what + " " + e.getCode() + " " + detail.getErrorCode());
        }
    }

    static void policies() throws ApiException {
        CeremoniesApi ceremonies = new CeremoniesApi(client);
        CeremonyPolicyInput body = new CeremonyPolicyInput().strategy(CeremonyStrategy.CALENDAR).transitionThreshold(0.5);
        ceremonies.departmentsUpdateCeremonyPolicy("Sales", body.putAdditionalProperty("sprint_days", 14), null, null, null);
        CeremonyPolicy policy = ceremonies.departmentsCeremonyPolicy("Sales", null, null).getData();
        System.out.println("policy " + policy.getStrategy() + " " + policy.getTransitionThreshold()
            + " " + policy.getAdditionalProperty("sprint_days"));

        AgentIdentityDiff diff = new VersionsApi(client).versionsDiff(1L, 2L, "Ann", null).getData();
        for (FieldChange change : diff.getFieldChanges()) {
            System.out.println("diff " + change.getFieldPath() + " " + change.getOldValue() + " " + change.getNewValue());
        }
    }
}
